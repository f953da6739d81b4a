/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Drives a libFuzzer target without libFuzzer: runs each seed file, then N deterministic mutations
 * of them.
 *
 * Usage: fuzz_NAME [-n RUNS] [-s SEED] FILE...   A failing input is what the sanitizer reports on;
 * the run number printed every 10,000 runs and the seed reproduce it. Mutations know lines and
 * fields, since the texts are made of them.
 */
#include <glib.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state;

static uint32_t rnd(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below == 0 ? 0 : (uint32_t)((state >> 16) % below);
}

static void insert(GByteArray *a, guint at, const void *data, guint n)
{
    g_autofree uint8_t *tail = g_memdup2(a->data + at, a->len - at);
    guint rest = a->len - at;
    g_byte_array_set_size(a, at);
    g_byte_array_append(a, data, n);
    g_byte_array_append(a, tail, rest);
}

/** [from, to) of the line, or of the blank-separated field, around @p at. */
static void piece(const GByteArray *a, guint at, bool line, guint *from, guint *to)
{
    for (*from = at; *from > 0 && a->data[*from - 1] != '\n' && (line || a->data[*from - 1] != ' ');
         --*from) {
    }
    for (*to = at; *to < a->len && a->data[*to] != '\n' && (line || a->data[*to] != ' '); ++*to) {
    }
}

static void mutate(GByteArray *a)
{
    static const char *const words[] = {
        "0",           "-1",         "4294967296",  "99999999999999999999",
        "0x",          "ffffffff",   "R256",        "#END_TB\n",
        "#BEGIN_TB\n", "warp = 0\n", "insts = 1\n", "\n",
        " ",           "LDG.E.64",   "2",           "1"};
    if (a->len == 0) {
        g_byte_array_append(a, (const uint8_t *)"-", 1);
    }
    guint at = rnd(a->len), from, to;
    const char *word = words[rnd(G_N_ELEMENTS(words))];
    switch (rnd(8)) {
    case 0:
        a->data[at] ^= (uint8_t)(1u << rnd(8));
        break;
    case 1:
        a->data[at] = (uint8_t)rnd(256);
        break;
    case 2: /* drop a line or field */
        piece(a, at, rnd(2) != 0, &from, &to);
        g_byte_array_remove_range(a, from, MIN(to + 1, a->len) - from);
        break;
    case 3: /* repeat a line or field */
        piece(a, at, rnd(2) != 0, &from, &to);
        if (to < a->len) {
            g_autofree uint8_t *copy = g_memdup2(a->data + from, to + 1 - from);
            insert(a, from, copy, to + 1 - from);
        }
        break;
    case 4: /* a field for another */
        piece(a, at, false, &from, &to);
        g_byte_array_remove_range(a, from, to - from);
        insert(a, from, word, (guint)strlen(word));
        break;
    case 5:
        insert(a, at, word, (guint)strlen(word));
        break;
    case 6: /* cut off */
        if (rnd(4) == 0) {
            g_byte_array_set_size(a, at);
        }
        break;
    default: /* move a line */
        piece(a, at, true, &from, &to);
        if (to < a->len) {
            g_autofree uint8_t *copy = g_memdup2(a->data + from, to + 1 - from);
            guint n = to + 1 - from;
            g_byte_array_remove_range(a, from, n);
            piece(a, rnd(a->len), true, &from, &to);
            insert(a, from, copy, n);
        }
    }
}

static void run_mutations(GPtrArray *seeds, uint64_t runs)
{
    g_autoptr(GByteArray) a = g_byte_array_new();
    for (uint64_t i = 0; i < runs; i++) {
        const GString *from = g_ptr_array_index(seeds, rnd(seeds->len));
        g_byte_array_set_size(a, 0);
        g_byte_array_append(a, (const uint8_t *)from->str, (guint)from->len);
        for (uint32_t k = 1 + rnd(6); k > 0; k--) {
            mutate(a);
        }
        g_autofree uint8_t *exact = g_memdup2(a->data, a->len); /* so that an overrun is seen */
        LLVMFuzzerTestOneInput(exact, a->len);
        if ((i + 1) % 10000 == 0) {
            printf("%" G_GUINT64_FORMAT " runs\n", i + 1);
            fflush(stdout);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t runs = 10000;
    g_autoptr(GPtrArray) seeds = g_ptr_array_new();
    state = 88172645463325252u;
    for (int i = 1; i < argc; i++) {
        g_autoptr(GError) error = NULL;
        char *text = NULL;
        gsize n = 0;
        if (strcmp(argv[i], "-n") == 0 && i + 1 < argc) {
            runs = g_ascii_strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "-s") == 0 && i + 1 < argc) {
            state ^= g_ascii_strtoull(argv[++i], NULL, 10) * 0x9E3779B97F4A7C15u;
        } else if (g_file_get_contents(argv[i], &text, &n, &error)) {
            LLVMFuzzerTestOneInput((const uint8_t *)text, n);
            g_ptr_array_add(seeds, g_string_new_len(text, (gssize)n));
            g_free(text);
        } else {
            fprintf(stderr, "%s\n", error->message);
            return 2;
        }
    }
    if (seeds->len == 0) {
        g_ptr_array_add(seeds, g_string_new("-kernel name = k\n"));
    }
    run_mutations(seeds, runs);
    for (guint i = 0; i < seeds->len; i++) {
        g_string_free(g_ptr_array_index(seeds, i), TRUE);
    }
    return 0;
}
