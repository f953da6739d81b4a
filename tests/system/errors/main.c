/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that a user can get wrong, run as the user runs it: the tables *.cases beside this
 * file say what there is, what is called, and how the complaint begins. Every case must hold the
 * same promise:
 *
 * - exit status 2, nothing on stdout;
 * - one line on stderr that is complete by itself: it begins with "warpwright: " and says what was
 *   expected or meant; only a source line, a caret and a suggestion may follow, indented;
 * - no file is left that was not there before;
 * - it takes less than ten seconds of processor time (a tenth of one where nothing else runs) and no memory to speak of.
 */
#include "tests.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tests/support/files.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SECONDS 20.0
#define MEGABYTES 4096
#else
#define SECONDS 10.0
#define MEGABYTES 512
#endif
#define FEWEST_CASES 60u
#define LONGEST_LINE 500u

typedef struct Outcome {
    int status;
    char *out, *err;
    double seconds;
    long megabytes;
} Outcome;

static char *top; /* the folder that holds the folders of all cases */

/* Names of all that is below @p path, sorted, one a line. */
static void list_folder(const char *path, const char *prefix, GPtrArray *names)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *inside = g_build_filename(path, name, NULL);
        g_autofree char *shown = g_strconcat(prefix, name, "/", NULL);
        g_ptr_array_add(names, g_strdup(shown));
        if (g_file_test(inside, G_FILE_TEST_IS_DIR)) {
            list_folder(inside, shown, names);
        }
    }
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *listing(const char *path)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    list_folder(path, "", names);
    g_ptr_array_sort(names, by_name);
    g_ptr_array_add(names, NULL);
    return g_strjoinv("\n", (char **)names->pdata);
}

/* {tests}: the build folder of the tests, where modules are; {source}: the tree. */
static char *expand(const char *text)
{
    const char *build = g_getenv("WW_BUILD_DIR"), *source = g_getenv("WW_SOURCE_DIR");
    g_autofree char *tests = g_build_filename(build, "tests", NULL);
    g_autoptr(GString) s = g_string_new(text);
    g_string_replace(s, "{tests}", tests, 0);
    g_string_replace(s, "{source}", source, 0);
    return g_strdup(s->str);
}

static int log_file(const char *name)
{
    g_autofree char *path = g_build_filename(top, name, NULL);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    g_assert_cmpint(fd, >=, 0);
    return fd;
}

static char *log_text(const char *name)
{
    g_autofree char *path = g_build_filename(top, name, NULL);
    char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* A case that should not end is ended. */
static void limit_child(gpointer unused)
{
    const struct rlimit limit = {60, 60};
    setrlimit(RLIMIT_CPU, &limit);
    alarm(600); /* one that waits; on the clock, of which other processes have their share */
}

static Outcome run(const char *arguments, const char *folder)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *line = expand(arguments);
    g_autofree char *program = g_shell_quote(g_getenv("WARPWRIGHT"));
    g_autofree char *all = g_strdup_printf("%s %s", program, line);
    g_auto(GStrv) argv = NULL;
    GPid pid;
    int status, out = log_file("stdout"), err = log_file("stderr");
    struct rusage use;
    g_shell_parse_argv(all, NULL, &argv, &error);
    g_assert_no_error(error);
    g_spawn_async_with_fds(folder, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, limit_child, NULL, &pid,
                           -1, out, err, &error);
    g_assert_no_error(error);
    g_assert_cmpint(wait4(pid, &status, 0, &use), ==, pid);
    close(out);
    close(err);
    return (Outcome){
        .status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
        .out = log_text("stdout"),
        .err = log_text("stderr"),
        .seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                   (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6,
        .megabytes = use.ru_maxrss / 1024,
    };
}

/* Does @p text match, whole or in part? A pattern is a Perl regular expression. */
static bool matches(const char *pattern, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, &error);
    g_assert_no_error(error);
    return g_regex_match(regex, text, 0, NULL);
}

/* What is wrong with the complaint, or NULL. */
static char *fault(const Case *c, const Outcome *o)
{
    int status = 2;
    g_auto(GStrv) lines = g_strsplit(o->err, "\n", -1);
    guint at = 0; /* what stood before: a config that was chosen, a machine for other traces */
    while (lines[at] != NULL && g_str_has_prefix(lines[at], "warpwright: note: ")) {
        at++;
    }
    const char *first = lines[at] != NULL ? lines[at] : "";
    for (guint i = 0; i < c->lines->len; i++) {
        const Line *l = c->lines->pdata[i];
        if (strcmp(l->word, "status") == 0) {
            status = (int)g_ascii_strtoll(l->text, NULL, 10);
        } else if (strcmp(l->word, "says") == 0 && !matches(l->text, first)) {
            return g_strdup_printf("the first line does not match '%s'", l->text);
        } else if (strcmp(l->word, "also") == 0 && !matches(l->text, o->err)) {
            return g_strdup_printf("nothing matches '%s'", l->text);
        }
    }
    if (o->status != status) {
        return g_strdup_printf("exit status %d; expected %d", o->status, status);
    }
    if (*o->out != '\0') {
        return g_strdup("something on stdout");
    }
    if (!g_str_has_prefix(first, "warpwright: ") || !matches("expected|did you mean", first)) {
        return g_strdup(
            "the first line is not complete: expected 'warpwright: ' and an expectation");
    }
    if (strlen(first) > LONGEST_LINE || !g_str_has_suffix(o->err, "\n")) {
        return g_strdup("the first line is too long, or has no end");
    }
    for (char **l = lines + at + 1; *l != NULL && **l != '\0'; l++) {
        if (!g_str_has_prefix(*l, "    ")) {
            return g_strdup("more than one line; only what is indented may follow");
        }
    }
    if (o->seconds > SECONDS || o->megabytes > MEGABYTES) {
        return g_strdup_printf("took %.1f s and %ld MiB; expected at most %.1f and %d", o->seconds,
                               o->megabytes, SECONDS, MEGABYTES);
    }
    return NULL;
}

static void check(gconstpointer data)
{
    const Case *c = data;
    g_autofree char *folder = g_build_filename(top, "case", NULL);
    const char *arguments = NULL;
    g_assert_cmpint(g_mkdir(folder, 0777), ==, 0);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    for (guint i = 0; i < c->lines->len; i++) {
        const Line *l = c->lines->pdata[i];
        if (strcmp(l->word, "file") == 0) {
            g_assert_true(
                g_file_set_contents(l->text, l->below != NULL ? l->below->str : "", -1, NULL));
        } else if (strcmp(l->word, "make") == 0) {
            make(l->text);
        } else if (strcmp(l->word, "run") == 0) {
            arguments = l->text;
        }
    }
    g_assert_nonnull(arguments);
    g_autofree char *before = listing(folder);
    Outcome o = run(arguments, folder);
    g_autofree char *after = listing(folder);
    g_autofree char *why = fault(c, &o);
    if (why == NULL && strcmp(before, after) != 0) {
        why = g_strdup_printf("files are left:\n%s\nbefore:\n%s", after, before);
    }
    g_test_message("%s", o.err);
    if (why != NULL) {
        g_test_fail_printf(
            "%s.cases:%d: %s\nwarpwright %s\nstatus %d\nstderr: %.1500s\nstdout: %.500s", c->table,
            c->line, why, arguments, o.status, o.err, o.out);
    }
    g_free(o.out);
    g_free(o.err);
    g_assert_cmpint(g_chdir(top), ==, 0);
    test_remove_folder(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autoptr(GPtrArray) cases = g_ptr_array_new_with_free_func(case_free);
    g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func(g_free);
    const char *folder = g_test_get_dir(G_TEST_DIST), *name;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    while ((name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".cases")) {
            g_ptr_array_add(tables, g_build_filename(folder, name, NULL));
        }
    }
    g_ptr_array_sort(tables, by_name);
    for (guint i = 0; i < tables->len; i++) {
        table_read(tables->pdata[i], cases);
    }
    g_assert_cmpuint(cases->len, >=, FEWEST_CASES);
    for (guint i = 0; i < cases->len; i++) {
        Case *c = cases->pdata[i];
        g_autofree char *path = g_strdup_printf("/errors/%s/%s", c->table, c->name);
        g_test_add_data_func(path, c, check);
    }
    top = g_dir_make_tmp("warpwright-errors-XXXXXX", NULL);
    g_assert_nonnull(top);
    int status = g_test_run();
    test_remove_folder(top);
    g_free(top);
    return status;
}
