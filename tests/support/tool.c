/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include "files.h"
#include "registry.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command with arguments up to a NULL; nothing is copied. */
static GPtrArray *command_line(const char *first, va_list *rest)
{
    const char *program = g_getenv("WARPWRIGHT");
    g_assert_nonnull(program);
    GPtrArray *argv = g_ptr_array_new();
    g_ptr_array_add(argv, (gpointer)program);
    for (const char *a = first; a != NULL; a = va_arg(*rest, const char *)) {
        g_ptr_array_add(argv, (gpointer)a);
    }
    g_ptr_array_add(argv, NULL);
    return argv;
}

Tool tool_run(const char *first, ...)
{
    Tool tool = {0};
    g_autoptr(GError) error = NULL;
    va_list ap;
    va_start(ap, first);
    g_autoptr(GPtrArray) argv = command_line(first, &ap);
    va_end(ap);
    int status;
    g_spawn_sync(NULL, (char **)argv->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &tool.out,
                 &tool.err, &status, &error);
    g_assert_no_error(error);
    tool.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return tool;
}

/* In the child. */
static void set_stdout(gpointer data)
{
    int out = GPOINTER_TO_INT(data);
    if (out == TOOL_CLOSED) {
        close(STDOUT_FILENO);
    } else if (out == TOOL_NULL) {
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    } else {
        dup2(out, STDOUT_FILENO);
    }
}

ToolRun tool_start(int out, const char *first, ...)
{
    ToolRun run = {.said = g_string_new(NULL)};
    g_autoptr(GError) error = NULL;
    va_list ap;
    va_start(ap, first);
    g_autoptr(GPtrArray) argv = command_line(first, &ap);
    va_end(ap);
    g_spawn_async_with_pipes(NULL, (char **)argv->pdata, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
                             set_stdout, GINT_TO_POINTER(out), &run.pid, NULL, NULL, &run.err,
                             &error);
    g_assert_no_error(error);
    return run;
}

/* False at the end of its stderr. */
static bool hear(ToolRun *run)
{
    char text[4096];
    ssize_t n = read(run->err, text, sizeof text);
    g_assert_cmpint(n, >=, 0);
    g_string_append_len(run->said, text, n);
    return n != 0;
}

void tool_until(ToolRun *run, const char *part)
{
    while (strstr(run->said->str, part) == NULL) {
        if (!hear(run)) {
            g_error("ended without '%s'\nstderr: %.2000s", part, run->said->str);
        }
    }
}

double tool_busy(ToolRun *run)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)run->pid);
    unsigned long user = 0, system = 0;
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const char *rest = strrchr(text, ')');
    if (rest[2] == 'Z') {
        while (hear(run)) {
        }
        g_error("ended while it was to work\nstderr: %.2000s", run->said->str);
    }
    g_assert_cmpint(
        sscanf(rest, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system), ==,
        2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

void tool_until_busy(ToolRun *run, double seconds)
{
    while (tool_busy(run) < seconds) {
        g_usleep(5000);
    }
}

static bool is_begun(const char *folder, const char *begin)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *file;
    while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, file, NULL);
        GStatBuf st;
        if (g_str_has_prefix(file, begin) && g_stat(path, &st) == 0 && st.st_size > 0) {
            return true;
        }
    }
    return false;
}

void tool_until_written(ToolRun *run, const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    g_autofree char *begin = g_strdup_printf(".%s.", name);
    while (!is_begun(folder, begin)) {
        tool_until_busy(run, tool_busy(run) + 0.01);
    }
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

Tool tool_end(ToolRun *run)
{
    int status;
    struct rusage use;
    while (hear(run)) {
    }
    g_assert_cmpint(wait4(run->pid, &status, 0, &use), ==, run->pid);
    close(run->err);
    Tool tool = {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
                 .out = g_strdup(""),
                 .err = g_string_free(run->said, false),
                 .kib = use.ru_maxrss,
                 .busy = seconds(use.ru_utime) + seconds(use.ru_stime)};
    *run = (ToolRun){0};
    return tool;
}

int tool_broken_pipe(void)
{
    int ends[2];
    g_assert_cmpint(pipe(ends), ==, 0);
    close(ends[0]);
    return ends[1];
}

void tool_clear(Tool *tool)
{
    g_free(tool->out);
    g_free(tool->err);
    *tool = (Tool){0};
}

void tool_status(const Tool *tool, int status)
{
    if (tool->status != status) {
        g_error("exit status %d instead of %d\nstdout: %.2000s\nstderr: %.2000s", tool->status,
                status, tool->out, tool->err);
    }
}

void tool_says(const Tool *tool, const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        g_error("does not say '%s'\nstdout: %.2000s\nstderr: %.2000s", part, tool->out, tool->err);
    }
}

void tool_refuses(const Tool *tool, const char *part)
{
    tool_status(tool, 2);
    tool_says(tool, tool->err, part);
    g_assert_cmpstr(tool->out, ==, "");
    g_assert_true(g_str_has_prefix(tool->err, "warpwright: "));
}

static char *run_folder; /* of this program's run */

const char *tool_path(const char *name)
{
    if (run_folder == NULL) {
        g_autofree char *made = g_dir_make_tmp("warpwright-cli-XXXXXX", NULL);
        g_assert_nonnull(made);
        run_folder = g_steal_pointer(&made);
    }
    g_autofree char *path = g_build_filename(run_folder, name, NULL);
    return g_intern_string(path);
}

char *tool_read(const char *path)
{
    char *text = NULL;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return text;
}

static void write_text(const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
}

static char *kernel_text(int ordinal)
{
    GString *t = g_string_new(NULL);
    g_string_append_printf(
        t,
        "-kernel name = kernel_%d\n-kernel id = %d\n-grid dim = (4,1,1)\n-block dim = (64,1,1)\n"
        "-shmem = 0\n-nregs = 16\n-binary version = 70\n-cuda stream id = 0\n"
        "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007e0000000000\n"
        "-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n#traces\n",
        ordinal, ordinal);
    for (int cta = 0; cta < 4; cta++) {
        g_string_append_printf(t, "#BEGIN_TB\n\nthread block = %d,0,0\n\n", cta);
        for (int warp = 0; warp < 2; warp++) {
            g_string_append_printf(t,
                                   "warp = %d\ninsts = 4\n"
                                   "0000 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f1000000000 4 0\n"
                                   "0010 ffffffff 1 R5 FFMA 2 R4 R4 0 0\n"
                                   "0020 ffffffff 0 STG.E.SYS 2 R2 R5 4 1 0x7f1000100000 4 0\n"
                                   "0030 ffffffff 0 EXIT 0 0 0\n\n",
                                   warp);
        }
        g_string_append(t, "#END_TB\n\n");
    }
    return g_string_free(t, false);
}

const char *tool_trace(int kernels)
{
    g_autofree char *name = g_strdup_printf("trace-%d", kernels);
    const char *folder = tool_path(name);
    if (g_mkdir(folder, 0777) != 0) {
        return folder;
    }
    g_autoptr(GString) list = g_string_new("MemcpyHtoD,0x00007f1000000000,4096\n");
    for (int k = 1; k <= kernels; k++) {
        g_autofree char *file = g_strdup_printf("kernel-%d.traceg", k);
        g_autofree char *path = g_build_filename(folder, file, NULL);
        g_autofree char *text = kernel_text(k);
        write_text(path, text);
        g_string_append_printf(list, "%s\n", file);
    }
    g_autofree char *path = g_build_filename(folder, "kernelslist.g", NULL);
    write_text(path, list->str);
    return folder;
}

void tool_make_endless(const char *path)
{
    enum { LINES = 16 << 20, COPIES = 20000 };
    const char *folder = tool_path("endless"), *packed = tool_path("endless/packed");
    g_autofree char *kernel = g_build_filename(folder, "kernel-1.traceg", NULL);
    g_autofree char *to = g_build_filename(packed, "kernel-1.traceg.zst", NULL);
    g_autoptr(GString) all = g_string_new(NULL);
    g_autofree char *piece = NULL;
    gsize n;
    if (g_mkdir(folder, 0777) == 0) {
        g_autofree char *lines = g_strnfill(LINES, '\n');
        write_text(kernel, lines);
        g_auto(Tool) t = tool_run("trace", "recompress", "-o", packed, kernel, NULL);
        tool_status(&t, 0);
    }
    g_assert_true(g_file_get_contents(to, &piece, &n, NULL));
    for (int i = 0; i < COPIES; i++) { /* frames may be joined */
        g_string_append_len(all, piece, (gssize)n);
    }
    g_assert_true(g_file_set_contents(path, all->str, (gssize)all->len, NULL));
}

const char *tool_source(const char *name)
{
    const char *root = g_getenv("WW_SOURCE_DIR");
    g_autofree char *path = g_build_filename(root != NULL ? root : ".", name, NULL);
    return g_intern_string(path);
}

const char *tool_module(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".so", NULL);
    g_autofree char *path = g_test_build_filename(G_TEST_BUILT, "modules", file, NULL);
    return g_intern_string(path);
}

int tool_test_run(void)
{
    int status = test_run();
    if (run_folder != NULL) {
        test_remove_folder(run_folder);
        g_clear_pointer(&run_folder, g_free);
    }
    return status;
}
