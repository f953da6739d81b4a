/* SPDX-License-Identifier: Apache-2.0 */
/* The command `warpwright`: finds the subcommand (commands.c). Each has a file of its own and `--help`. */
#include "page.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

static void print_facts(const char *title, const CliFact *facts, FILE *out)
{
    fprintf(out, "\n%s%s:%s\n", cli_paint(out, CLI_BOLD), title, cli_paint(out, CLI_PLAIN));
    for (const CliFact *f = facts; f->name != NULL; f++) {
        cli_page_row(f->name, f->doc, out);
    }
}

static void usage(FILE *out)
{
    fputs("usage: warpwright COMMAND [ARGUMENT]...\n\n"
          "Builds GPU streaming multiprocessors out of components and replays instruction\n"
          "traces on them.\n\n",
          out);
    for (const CliCommand *c = cli_commands; c->name != NULL; c++) {
        if (!c->hidden) {
            cli_page_row(c->name, c->doc, out);
        }
    }
    fputs("\n"
          "'warpwright COMMAND --help' and 'man warpwright-COMMAND' say more. For a start:\n"
          "  warpwright run -c qv100 TRACE\n"
          "  warpwright inspect -c qv100\n",
          out);
    print_facts("Environment", cli_environment, out);
    print_facts("Exit status", cli_exit_statuses, out);
}

/* What there is of small pages: not used, but not lost either. */
static void *volatile rest;

/*
 * What a run needs of the heap is a few MiB, most of it before the first tick. On huge pages that is two page faults instead of a
 * thousand, which would cost as much as all the work on a platform. Where the C library works otherwise nothing is lost.
 */
static void use_huge_pages(void)
{
#ifdef __GLIBC__
    enum { HEAP = 8 << 20, HUGE_PAGE = 2 << 20, FIRST = 2 << 10, SMALL = 4 << 10 };
    mallopt(M_TOP_PAD, HEAP);
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP);
    mallopt(M_MMAP_THRESHOLD, HUGE_PAGE);
    size_t left = mallinfo2().keepcost;
    rest = left > FIRST ? malloc(left - FIRST) : NULL;
    /* a page that is touched before the advice spoils its huge page: the heap grows by a block that ends before one begins */
    uintptr_t now = (uintptr_t)sbrk(0),
              first = (now + SMALL + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    sbrk((intptr_t)(first - SMALL - now));
    void *volatile more = malloc(FIRST); /* than there is: the heap grows by it and the pad */
    free(more);
    uintptr_t end = (uintptr_t)sbrk(0);
    if (first < end && end - first < 2 * HEAP) {
        madvise((void *)first, end - first, MADV_HUGEPAGE);
    } else {
        free(rest); /* little memory: all counts */
        rest = NULL;
    }
#endif
}

/*
 * The C library's heap for each thread takes 64 to 128 MiB of addresses, whatever is in it: under a limit of addresses (ulimit -v) a run with
 * several threads would fail now and then with twice what it needs. No thread takes memory often.
 */
static void use_one_heap(void)
{
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 1);
#endif
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
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
    if (strcmp(argv[1], "--") == 0 && argc > 2) { /* ends options, of which there are none here */
        argc--;
        argv++;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        puts("warpwright " WW_VERSION);
        return CLI_DONE;
    }
    bool help = strcmp(word, "help") == 0;
    if (is_help(word) || (help && (argc == 2 || is_help(argv[2])))) {
        usage(stdout);
        return CLI_DONE;
    }
    const CliCommand *command = cli_command_find(help ? argv[2] : word);
    if (command == NULL) {
        return cli_command_unknown(help ? argv[2] : word);
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
    use_one_heap();
    use_huge_pages();
    cli_process_begin(argc, argv);
    cli_exhausted_begin();
    return cli_process_end(command_line(argc, argv));
}
