/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other processes for the check `same-seed` of `conformance`: this program with the same words and other addresses, another environment and
 * another heap. They write what each type leaves into memory that ELSEWHERE names as a file, one after the other:
 *
 *     type LF text NUL type LF text NUL ...
 */
#include "cli-priv.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <testing/conformance.h>
#include <unistd.h>
#include <warpwright/heap.h>

#define ELSEWHERE "WARPWRIGHT_ELSEWHERE"

enum { PROCESSES = 2 };

static char *said[PROCESSES]; /* their files' contents; NULL: not begun */
static gsize length[PROCESSES];

bool cli_is_elsewhere(void)
{
    return g_getenv(ELSEWHERE) != NULL;
}

int cli_run_elsewhere(const WwRegistry *registry, const GPtrArray *types, uint32_t seed)
{
    FILE *f = fopen(g_getenv(ELSEWHERE), "w");
    G_GNUC_UNUSED g_autoptr(WwHeap) first = ww_heap_new(); /* machines lie behind it */
    for (guint i = 0; f != NULL && i < types->len; i++) {
        const WwType *type = types->pdata[i];
        g_autofree char *obstacle = ww_conformance_obstacle(registry, type);
        if (obstacle == NULL) {
            g_autofree char *text = ww_conformance_run(registry, type, seed);
            fprintf(f, "%s\n%s%c", type->name, text, '\0');
            fflush(f); /* the next one may crash */
        }
    }
    return f != NULL && fclose(f) == 0 ? CLI_DONE : CLI_STOPPED;
}

/* In the child: it does not outlive this process, whatever ends it. */
static void end_with(gpointer parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != *(const pid_t *)parent) {
        _exit(CLI_STOPPED);
    }
}

/* Runs this program again; what it wrote into memory that both have. */
static char *run_again(uint32_t n, gsize *size, GError **error)
{
    int fd = memfd_create("warpwright-elsewhere", 0); /* no MFD_CLOEXEC: it is for the other one */
    if (fd < 0) {
        ww_fail(error, WW_ERROR_SYSTEM,
                "no memory for what another process says: %s; expected some", g_strerror(errno));
        return NULL;
    }
    g_autofree char *file = g_strdup_printf("/proc/self/fd/%d", fd);
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_auto(GStrv) env = g_environ_setenv(g_get_environ(), ELSEWHERE, file, true);
    g_autofree char *more = g_strnfill(1000 + 3000 * n, 'x');
    env = g_environ_setenv(env, "WARPWRIGHT_MORE", more, true);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_ptr_array_add(words, program != NULL ? (gpointer)program : (gpointer) "/proc/self/exe");
    for (const char *const *w = cli_process_words() + 1; *w != NULL; w++) {
        g_ptr_array_add(words, (gpointer)*w);
    }
    g_ptr_array_add(words, NULL);
    char *text = NULL;
    pid_t parent = getpid();
    if (g_spawn_sync(NULL, (char **)words->pdata, env,
                     G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL |
                         G_SPAWN_LEAVE_DESCRIPTORS_OPEN,
                     end_with, &parent, NULL, NULL, NULL, error)) {
        g_file_get_contents(file, &text, size, error);
    }
    close(fd);
    return text;
}

static char *elsewhere(const WwType *type, uint32_t seed, uint32_t n, GError **error)
{
    if (n == PROCESSES ||
        (said[n] == NULL && (said[n] = run_again(n, &length[n], error)) == NULL)) {
        return NULL;
    }
    size_t name = strlen(type->name);
    for (const char *at = said[n], *end = at + length[n]; at < end; at += strlen(at) + 1) {
        if (strncmp(at, type->name, name) == 0 && at[name] == '\n') {
            return g_strdup(at + name + 1);
        }
    }
    ww_fail(error, WW_ERROR_MODEL,
            "another process ended before it had run this; expected it to do what this one did");
    return NULL;
}

void cli_look_elsewhere(bool begin)
{
    ww_conformance_elsewhere(begin ? elsewhere : NULL);
    for (uint32_t n = 0; n < PROCESSES; n++) {
        g_clear_pointer(&said[n], g_free);
    }
}
