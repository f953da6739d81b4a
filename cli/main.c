/* SPDX-License-Identifier: Apache-2.0 */
/* The command `warpwright`: finds the subcommand. Each has a file of its own and `--help`. */
#include "cli-priv.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments;
    const char *doc;
} Command;

static const Command commands[] = {
    {"run", cli_run, "[OPTION]... TRACE",
     "replay a trace and say how many cycles it takes, and why"},
    {"inspect", cli_inspect, "[OPTION]... [TYPE]",
     "describe component types, or a platform with its values"},
    {"list", cli_list, "types|platforms|configs|modules", "what there is to choose from"},
    {"trace", cli_trace, "info|check|pack|unpack|recompress TRACE",
     "look into a trace, verify it, pack it"},
    {"compare", cli_compare, "A.json B.json...", "results of two or more runs side by side"},
    {"bench", cli_bench, "[OPTION]... TYPE [SCRIPT]",
     "drive one component alone, by a script or at random"},
    {"conformance", cli_conformance, "[-m MODULE]... [TYPE]...",
     "put component types to the checks that every type has to pass"},
    {"new", cli_new, "scheduler|component|platform NAME",
     "begin one of your own, out of tree, with tests and a build file"},
};

static void usage(FILE *out)
{
    fputs("usage: warpwright COMMAND [ARGUMENT]...\n\n"
          "Builds GPU streaming multiprocessors out of components and replays instruction traces "
          "on them.\n\n",
          out);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        fprintf(out, "  %-11s %-32s %s\n", commands[i].name, commands[i].arguments,
                commands[i].doc);
    }
    fputs("\n"
          "'warpwright COMMAND --help' says more. For a start:\n"
          "  warpwright run -c qv100 TRACE\n"
          "  warpwright inspect -c qv100\n\n"
          "WARPWRIGHT_PATH adds folders (separated by ':') in which platforms, configs and modules "
          "are looked up.\n"
          "Exit status: 0 done, 1 the model stopped (hang, limit, signal), 2 bad usage or input.\n",
          out);
}

static int unknown(const char *word)
{
    const char *names[G_N_ELEMENTS(commands)];
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        names[i] = commands[i].name;
    }
    const char *near = ww_closest(word, names, G_N_ELEMENTS(names));
    if (near != NULL) {
        return cli_fail_text("unknown command '%s', did you mean '%s'?", word, near);
    }
    return cli_fail_text(
        "unknown command '%s'; expected run, inspect, list, trace, compare, bench or new", word);
}

static const Command *find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

/*
 * What a run needs of the heap is a few MiB, most of it before the first tick. On huge pages that is two page faults instead of a
 * thousand, which would cost as much as all the work on a platform. Where the C library works otherwise nothing is lost.
 */
static void use_huge_pages(void)
{
#ifdef __GLIBC__
    enum { HEAP = 8 << 20, HUGE_PAGE = 2 << 20, FIRST = 192 << 10, SMALL = 320 << 10 };
    mallopt(M_TOP_PAD, HEAP);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP);
    mallopt(M_MMAP_THRESHOLD, HUGE_PAGE);
    /* a page that is touched before the advice spoils its huge page: the heap grows by a block that ends before one begins */
    uintptr_t now = (uintptr_t)sbrk(0),
              first = (now + SMALL + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    sbrk((intptr_t)(first - SMALL - now));
    void *volatile more = malloc(FIRST); /* than there is: the heap grows by it and the pad */
    free(more);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (first < end && end - first < 2 * HEAP) {
        madvise((void *)first, end - first, MADV_HUGEPAGE);
    }
#endif
}

static int command_line(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return CLI_USAGE;
    }
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '\n') != NULL) { /* in a message it would begin a line of its own */
            g_autofree char *text = g_strescape(argv[i], NULL);
            return cli_fail_text("argument \"%s\" has a line break; expected none", text);
        }
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        puts("warpwright " WW_VERSION);
        return CLI_DONE;
    }
    bool help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (help && argc == 2)) {
        usage(stdout);
        return CLI_DONE;
    }
    const Command *command = find(help ? argv[2] : word);
    if (command == NULL) {
        return unknown(help ? argv[2] : word);
    }
    /* Option parsing takes words out of the list that it is given, so it gets a copy. */
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_ptr_array_add(list, (gpointer)command->name);
    if (help) {
        g_ptr_array_add(list, (gpointer) "--help");
    }
    for (int i = help ? 3 : 2; i < argc; i++) {
        g_ptr_array_add(list, argv[i]);
    }
    int n = (int)list->len;
    g_ptr_array_add(list, NULL);
    return command->run(n, (char **)list->pdata);
}

int main(int argc, char **argv)
{
    use_huge_pages();
    cli_process_begin(argc, argv);
    cli_exhausted_begin();
    return cli_process_end(command_line(argc, argv));
}
