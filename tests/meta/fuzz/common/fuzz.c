/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create() */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OURS "/proc/self/fd/90"

void fuzz_check(bool holds, const char *what, const char *text)
{
    if (!holds) {
        fprintf(stderr, "%s:\n%s\n", what, text != NULL ? text : "");
        abort();
    }
}

const char *fuzz_file(uint32_t i, const void *data, size_t size)
{
    static char path[FUZZ_FILES][32];
    int fd = 900 + (int)i;
    if (path[i][0] == '\0') {
        int made = memfd_create("input", MFD_CLOEXEC);
        fuzz_check(made >= 0 && dup2(made, fd) == fd && close(made) == 0, "no file in memory", "");
        snprintf(path[i], sizeof path[i], OURS "%u", i);
    }
    fuzz_check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size,
               "cannot write into memory", path[i]);
    return path[i];
}

static char *tracez;

static void remove_tracez(void)
{
    unlink(tracez);
    g_free(tracez);
}

const char *fuzz_as_tracez(const char *file)
{
    if (tracez == NULL) {
        tracez = g_build_filename(g_get_tmp_dir(), "fuzz-XXXXXX.tracez", NULL);
        int fd = g_mkstemp(tracez);
        fuzz_check(fd >= 0 && close(fd) == 0 && unlink(tracez) == 0 && symlink(file, tracez) == 0,
                   "no link", tracez);
        atexit(remove_tracez);
    }
    return tracez;
}

const char *fuzz_second(const uint8_t *data, size_t size, size_t *first)
{
    static const char mark[] = "\n---\n";
    const char *at = memmem(data, size, mark, strlen(mark));
    *first = at != NULL ? (size_t)(at + 1 - (const char *)data) : size;
    return at != NULL ? at + strlen(mark) : (const char *)data + size;
}

void fuzz_check_error(bool good, const GError *error, bool quoted)
{
    fuzz_check(good == (error == NULL), "an error, or none, as was not said", "");
    if (error == NULL) {
        return;
    }
    const char *text = error->message;
    size_t first = strcspn(text, "\n");
    fuzz_check(g_utf8_validate(text, -1, NULL), "no UTF-8", text);
    fuzz_check(text[first] == '\0' || quoted, "more than a line", text);
    fuzz_check(memmem(text, first, OURS, strlen(OURS)) != NULL ||
                   (tracez != NULL && memmem(text, first, tracez, strlen(tracez)) != NULL) ||
                   g_str_has_prefix(text, "built-in defaults of the reference: "),
               "names no file", text);
}

int fuzz_run(int (*command)(int argc, char **argv), const char *const *words, char **said)
{
    static FILE *nobody;
    FILE *out = stdout, *err = stderr;
    size_t size = 0;
    if (nobody == NULL) {
        nobody = fopen("/dev/null", "w");
    }
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    g_auto(GStrv) copy = g_strdupv((char **)words); /* parsing takes words out of the list */
    for (char **w = copy; *w != NULL; w++) {
        g_ptr_array_add(list, *w);
    }
    g_ptr_array_add(list, NULL);
    stdout = nobody; /* a variable of the C library; sanitizers write to the descriptor */
    stderr = open_memstream(said, &size);
    int status = command((int)list->len - 1, (char **)list->pdata);
    fclose(stderr);
    stdout = out;
    stderr = err;
    return status;
}

void fuzz_check_refusal(int status, const char *said)
{
    fuzz_check(status == 2, "not refused with status 2", said);
    fuzz_check(g_utf8_validate(said, -1, NULL), "no UTF-8", said);
    const char *end = strchr(said, '\n');
    fuzz_check(g_str_has_prefix(said, "warpwright: ") && end != NULL && end[1] == '\0',
               "not one line", said);
    fuzz_check(strstr(said, OURS) != NULL, "names no file", said);
}
