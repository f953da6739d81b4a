/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels, as compilers mangle them and as C++ writes them. */
#include "hardware.h"

#include <stdlib.h>
#include <string.h>

/* The function's own name, without what encloses it, template arguments and parameters. */
typedef struct Name {
    const char *mangled; /* "_Z...", or NULL */
    char *own;           /* "": not known */
    bool whole;          /* it is this; else what stands before the first template arguments */
} Name;

/* "_ZN3foo3barE": bar. "_ZN3foo3barIfEE...": bar, or what stands behind the arguments. */
static Name mangled(const char *text)
{
    const char *p = text + 2, *last = text + strlen(text), *name = "";
    size_t length = 0;
    bool nested = *p == 'N';
    p += nested;
    while (nested && *p != '\0' && strchr("rVK", *p) != NULL) {
        p++;
    }
    do {
        p += *p == 'L'; /* of this file alone */
        if (!g_ascii_isdigit(*p)) {
            break;
        }
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n > (size_t)(last - end)) {
            return (Name){text, g_strdup(""), false};
        }
        name = end;
        length = n;
        p = end + n;
    } while (nested);
    return (Name){text, g_strndup(name, length), length != 0 && (!nested || *p == 'E')};
}

/* "void foo::bar<float>(const float *) [12]": bar. nvprof appends a number. */
static Name written(const char *text)
{
    g_autoptr(GString) all = g_string_new(text), name = g_string_new(NULL);
    g_string_replace(all, "(anonymous namespace)::", "", 0);
    uint32_t depth = 0;
    for (const char *p = all->str; *p != '\0' && (depth != 0 || (*p != '(' && *p != '[')); p++) {
        depth += *p == '<';
        if (depth == 0) {
            g_string_append_c(name, *p);
        }
        depth -= depth != 0 && *p == '>';
    }
    const char *head = g_strchomp(name->str), *blank = strrchr(head, ' '),
               *begin = blank != NULL ? blank + 1 : head, *colon = strrchr(begin, ':');
    begin = colon != NULL ? colon + 1 : begin;
    bool lambda = strchr(head, '{') != NULL;
    return (Name){NULL, g_strdup(lambda ? "" : begin), !lambda && *begin != '\0'};
}

static Name name_of(const char *text)
{
    return g_str_has_prefix(text, "_Z") ? mangled(text) : written(text);
}

/* Each part of a mangled name has its length before it. */
static bool holds(const Name *a, const Name *whole)
{
    g_autofree char *part = g_strdup_printf("%zu%s", strlen(whole->own), whole->own);
    return a->mangled == NULL || strstr(a->mangled, part) != NULL;
}

static bool same(const Name *a, const Name *b)
{
    if (a->whole != b->whole) {
        return a->whole ? holds(b, a) : holds(a, b);
    }
    return *a->own == '\0' || *b->own == '\0' || strcmp(a->own, b->own) == 0;
}

bool cli_measured_same(const char *ours, const char *theirs)
{
    if (strcmp(ours, theirs) == 0) {
        return true;
    }
    Name a = name_of(ours), b = name_of(theirs);
    bool is = same(&a, &b);
    g_free(a.own);
    g_free(b.own);
    return is;
}
