/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes other texts of a text: besides libFuzzer's own changes lines and words are removed, repeated, swapped and taken from
 * elsewhere in it, numbers become those at which something ends, and a word alone is changed (also into one of the dictionary).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

typedef struct Range {
    size_t from, to;
} Range;

static uint32_t state;

static uint32_t below(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return n == 0 ? 0 : (state >> 8) % (uint32_t)n;
}

static int between(const uint8_t *data, size_t i, const char *marks)
{
    return data[i] == '\0' || strchr(marks, data[i]) != NULL;
}

/* The line or the word at a place somewhere in the text. */
static Range pick(const uint8_t *data, size_t size, const char *marks)
{
    Range r = {below(size), 0};
    for (uint32_t i = 0; i < 20 && between(data, r.from, marks); i++) {
        r.from = below(size);
    }
    r.to = r.from;
    while (r.from > 0 && !between(data, r.from - 1, marks)) {
        r.from--;
    }
    while (r.to < size && !between(data, r.to, marks)) {
        r.to++;
    }
    return r;
}

/* Puts @p n bytes in place of a range; the new size. */
static size_t replace(uint8_t *data, size_t size, size_t most, Range r, const void *by, size_t n)
{
    if (size - (r.to - r.from) + n > most) {
        return size;
    }
    memmove(data + r.from + n, data + r.to, size - r.to);
    memcpy(data + r.from, by, n);
    return size - (r.to - r.from) + n;
}

static size_t of_the_text(uint8_t *data, size_t size, size_t most, const char *marks)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "7",
                                          "64",
                                          "255",
                                          "256",
                                          "65536",
                                          "2147483647",
                                          "2147483648",
                                          "4294967295",
                                          "4294967296",
                                          "9223372036854775808",
                                          "18446744073709551615",
                                          "18446744073709551616",
                                          "0.5",
                                          "1e308",
                                          "nan",
                                          "0x10"};
    uint8_t kept[256];
    Range r = pick(data, size, marks), other = pick(data, size, marks);
    size_t n = other.to - other.from < sizeof kept ? other.to - other.from : sizeof kept;
    const char *number;
    memcpy(kept, data + other.from, n);
    switch (below(6)) {
    case 0: /* removed, with what parts it from the next */
        r.to += r.to < size;
        return replace(data, size, most, r, kept, 0);
    case 1: /* another one before it */
        if (n == sizeof kept) {
            return size;
        }
        kept[n] = r.to < size ? data[r.to] : '\n';
        r.to = r.from;
        return replace(data, size, most, r, kept, n + 1);
    case 2: /* another one in its place */
        return replace(data, size, most, r, kept, n);
    case 3:
        number = numbers[below(sizeof numbers / sizeof numbers[0])];
        return replace(data, size, most, r, number, strlen(number));
    default: /* changed alone */
        n = r.to - r.from < sizeof kept / 2 ? r.to - r.from : sizeof kept / 2;
        memcpy(kept, data + r.from, n);
        n = LLVMFuzzerMutate(kept, n, sizeof kept);
        return replace(data, size, most, r, kept, n);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    state = seed;
    if (size == 0 || below(3) == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (uint32_t i = 1 + below(3); i > 0 && size > 0; i--) {
        static const char *const marks[] = {"\n", " \t\n", " \t\n=:,.;[](){}\"'"};
        size = of_the_text(data, size, most, marks[below(3)]);
    }
    return size;
}
