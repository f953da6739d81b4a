/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose code is at work. Which component has its turn follows from the walk that is in progress (machine-priv.h): a tick pays nothing.
 */
#include "at_work-priv.h"
#include "crew-priv.h"
#include "machine-priv.h"

static const char *volatile loading;
static volatile bool adding;
const WwComponent *volatile ww_doing;
const char *volatile ww_doing_what;
static const WwMachine *volatile running;
static WwModuleFn watch;

void ww_at_work_loading(const char *path)
{
    adding = false;
    loading = path;
}

void ww_at_work_adding(const char *path)
{
    loading = path;
    adding = true;
}

void ww_at_work_loaded(const WwModule *module, const char *path)
{
    if (watch != NULL) {
        watch(module, path);
    }
}

void ww_module_watch(WwModuleFn fn)
{
    watch = fn;
}

void ww_at_work_running(const WwMachine *machine)
{
    running = machine;
}

void ww_at_work_forget(const WwMachine *machine)
{
    if (running == machine) {
        running = NULL;
    }
}

/* The component whose turn it is at member @p i of a block that is being walked; a block in it that is not, has none. */
static const WwComponent *turn_in(const Block *b, uint32_t i)
{
    while (b->member[i].tick == NULL) {
        b = b->member[i].part;
        i = b->at - b->shift;
        if (!b->walking) {
            return NULL;
        }
    }
    return b->member[i].part;
}

/* The component that is having its turn, in a window or in the machine's tick. */
static const WwComponent *on_turn(void)
{
    const WwMachine *m = running;
    if (m == NULL) {
        return NULL;
    }
    if (ww_acting != NULL) {
        return ww_acting->at != NULL
                   ? turn_in(ww_acting->at->share->of, ww_acting->at->share->member)
                   : NULL;
    }
    if (m->now.phase < 0) {
        return NULL;
    }
    const Block *root = m->phase[m->now.phase].root;
    return root != NULL && root->walking ? turn_in(root, root->at) : NULL;
}

bool ww_at_work_beside(pthread_t *thread)
{
    const WwMachine *m = running;
    return m != NULL && m->host->crew != NULL && ww_crew_at_work(m->host->crew, thread);
}

WwAtWork ww_at_work(void)
{
    const WwComponent *c = ww_doing;
    return (WwAtWork){.component = c != NULL ? c : on_turn(),
                      .function = c != NULL ? ww_doing_what : NULL,
                      .loading = loading,
                      .adding = adding};
}
