/* SPDX-License-Identifier: Apache-2.0 */
/* Figures that a GPU measured, by the column that the first line names or, where it is empty, one that is known: kernels with names and figures in range, which are the same when they are written as a plain table. */
#include "common/fuzz.h"

#include <hardware.h>
#include <math.h>
#include <output-priv.h>
#include <string.h>

static void check_kernels(const CliMeasured *m)
{
    uint32_t line = 0;
    fuzz_check(m->kernels->len != 0, "no kernels", m->path);
    for (guint i = 0; i < m->kernels->len; i++) {
        const CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, i),
                                *first = &g_array_index(m->kernels, CliMeasuredKernel, 0);
        fuzz_check(*k->name != '\0' && k->line > line, "no name, or no line", m->path);
        fuzz_check(k->value == 0 || (k->value >= 1e-30 && k->value <= 1e30), "no figure", k->name);
        fuzz_check((k->trace != NULL) == (first->trace != NULL) &&
                       (k->trace == NULL || *k->trace != '\0'),
                   "no trace", k->name);
        fuzz_check(cli_measured_same(k->name, k->name) &&
                       cli_measured_same(k->name, first->name) ==
                           cli_measured_same(first->name, k->name),
                   "names that are not alike", k->name);
        line = k->line;
    }
}

/* As people write it. */
static char *plain(const CliMeasured *m, size_t *size)
{
    char *text = NULL, number[G_ASCII_DTOSTR_BUF_SIZE];
    FILE *out = open_memstream(&text, size);
    fputs("kernel,cycles,trace\n", out);
    for (guint i = 0; i < m->kernels->len; i++) {
        const CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, i);
        cli_csv_text(k->name, out);
        fprintf(out, ",%s,", g_ascii_dtostr(number, sizeof number, k->value));
        cli_csv_text(k->trace != NULL ? k->trace : "t", out);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void check_same(const CliMeasured *m)
{
    static const char *const no_kernels[] = {"kernel", "[CUDA "};
    for (guint i = 0; i < m->kernels->len; i++) {
        const char *name = g_array_index(m->kernels, CliMeasuredKernel, i).name;
        if (strchr(name, '\r') != NULL || strcmp(name, no_kernels[0]) == 0 ||
            g_str_has_prefix(name, no_kernels[1])) {
            return; /* it would be none there */
        }
    }
    size_t size = 0;
    char *text = plain(m, &size);
    CliMeasured *again = cli_measured_read(fuzz_file(1, text, size), NULL, NULL);
    fuzz_check(again != NULL && again->kernels->len == m->kernels->len, "not read again", text);
    for (guint i = 0; i < m->kernels->len; i++) {
        const CliMeasuredKernel *k = &g_array_index(m->kernels, CliMeasuredKernel, i),
                                *l = &g_array_index(again->kernels, CliMeasuredKernel, i);
        fuzz_check(strcmp(k->name, l->name) == 0 && k->value == l->value, "not the same", k->name);
    }
    cli_measured_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *end = size != 0 ? memchr(data, '\n', size) : NULL;
    size_t n = end != NULL ? (size_t)(end - (const char *)data) : size;
    g_autofree char *column = g_strndup((const char *)data, n);
    g_autoptr(GError) error = NULL;
    const char *path = fuzz_file(0, data + MIN(n + 1, size), size - MIN(n + 1, size));
    CliMeasured *m = cli_measured_read(path, *column != '\0' ? column : NULL, &error);
    fuzz_check_error(m != NULL, error, false);
    if (m != NULL) {
        check_kernels(m);
        check_same(m);
    }
    cli_measured_free(m);
    return 0;
}
