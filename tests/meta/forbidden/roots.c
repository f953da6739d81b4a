/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel calls in a tick, from the descriptors themselves: one line for each function or table of functions of each registered type
 * (the types of the modules named too), as file and offset, for tools/check-forbidden. Fakes and faulty types serve tests only.
 */
#include <components/register.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <warpwright/machine.h>
#include <warpwright/module.h>

/* KIND "function" or "table", FILE, OFFSET, TYPE, what it is. */
static void say(const char *kind, const void *what, const WwType *type, const char *role,
                const char *name)
{
    Dl_info where;
    if (what == NULL) {
        return;
    }
    if (dladdr(what, &where) == 0) {
        g_printerr("%s %s of %s is in no object\n", role, name, type->name);
        exit(1);
    }
    printf("%s\t%s\t%zu\t%s\t%s %s\n", kind, where.dli_fname,
           (size_t)((const char *)what - (const char *)where.dli_fbase), type->name, role, name);
}

static void functions(const WwType *t)
{
    const WwEntryRow *e;
    const WwPortRow *p;
    for (WW_ROWS(t->entries, e)) {
        say("function", (const void *)e->tick, t, "entry point", e->name);
    }
    say("function", (const void *)t->settle, t, "settle", "");
    say("table", t->channel, t, "operations", "");
    for (WW_ROWS(t->ports, p)) {
        say("table", p->table, t, "port", p->name);
        if (p->contract->payload != NULL) { /* of each token that moves, with --fingerprint */
            say("function", (const void *)p->contract->payload->key, t, "key", p->contract->name);
        }
    }
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    WwRegistry *registry = ww_registry_new();
    bool good = ww_components_register(registry, &error);
    for (int i = 1; good && i < argc; i++) {
        good = ww_module_load(registry, argv[i], NULL, &error);
    }
    if (!good) {
        g_printerr("%s\n", error->message);
        return 1;
    }
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        if (!(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY))) {
            functions(types[i]);
        }
    }
    ww_registry_free(registry);
    return 0;
}
