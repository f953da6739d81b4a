/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Runs a fuzz target once over every file of the folders (or the files) that it is given: keeps the inputs that once broke
 * something as ordinary tests, with any compiler.
 */
#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned replay_file(const char *path)
{
    g_autofree char *data = NULL;
    gsize size = 0;
    if (!g_file_get_contents(path, &data, &size, NULL)) {
        return 0;
    }
    /* A copy of exact size, so that a sanitizer sees one byte read too many; of no bytes it is the end of one. */
    size_t before = size == 0;
    g_autofree uint8_t *copy = g_malloc(before + size);
    memcpy(copy + before, data, size);
    LLVMFuzzerTestOneInput(copy + before, size);
    return 1;
}

static unsigned replay(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    if (dir == NULL) {
        return replay_file(path);
    }
    unsigned n = 0;
    const char *name;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(path, name, NULL);
        n += replay_file(file);
    }
    return n;
}

int main(int argc, char **argv)
{
    unsigned n = 0;
    for (int i = 1; i < argc; i++) {
        n += replay(argv[i]);
    }
    printf("%u inputs replayed\n", n);
    return n > 0 ? 0 : 1; /* an empty corpus proves nothing */
}
