/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roofline: thread instructions a core cycle over thread instructions a byte, with a ceiling for each level of memory and a point
 * a kernel and level. Both axes are logarithmic.
 */
#include "parts.h"

#include <math.h>
#include <string.h>

enum { WIDE = 900, HIGH = 420, LEFT = 84, RIGHT = 20, TOP = 14, BOTTOM = 44, MOST_POINTS = 24 };

typedef struct Level {
    const char *name, *class;
    double ceiling; /* bytes a core cycle */
} Level;

/* Points of levels that moved the same bytes lie upon each other: all are seen. */
static const char *const radii[3] = {"9", "6.5", "4"};

typedef struct Frame {
    double x0, x1, y0, y1; /* powers of ten */
} Frame;

static double at_x(const Frame *f, double v)
{
    return LEFT + (WIDE - LEFT - RIGHT) * (log10(v) - f->x0) / (f->x1 - f->x0);
}

static double at_y(const Frame *f, double v)
{
    return HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * (log10(v) - f->y0) / (f->y1 - f->y0);
}

static const char *fixed(char buffer[G_ASCII_DTOSTR_BUF_SIZE], double v)
{
    return g_ascii_formatd(buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.2f", v);
}

static void line(Html *h, const char *class, double x0, double y0, double x1, double y1)
{
    char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE], c[G_ASCII_DTOSTR_BUF_SIZE],
        d[G_ASCII_DTOSTR_BUF_SIZE];
    html_leaf(h, "line", NULL, "class", class, "x1", fixed(a, x0), "y1", fixed(b, y0), "x2",
              fixed(c, x1), "y2", fixed(d, y1), NULL);
}

static void label(Html *h, double x, double y, const char *anchor, const char *text)
{
    char a[G_ASCII_DTOSTR_BUF_SIZE], b[G_ASCII_DTOSTR_BUF_SIZE];
    html_leaf(h, "text", text, "x", fixed(a, x), "y", fixed(b, y), "text-anchor", anchor, NULL);
}

static void grid(Html *h, const Frame *f)
{
    for (int e = (int)f->x0; e <= (int)f->x1; e++) {
        g_autofree char *text = html_number(pow(10, e), MAX(0, -e));
        line(h, "grid", at_x(f, pow(10, e)), TOP, at_x(f, pow(10, e)), HIGH - BOTTOM);
        label(h, at_x(f, pow(10, e)), HIGH - BOTTOM + 20, "middle", text);
    }
    for (int e = (int)f->y0; e <= (int)f->y1; e++) {
        g_autofree char *text = html_number(pow(10, e), MAX(0, -e));
        line(h, "grid", LEFT, at_y(f, pow(10, e)), WIDE - RIGHT, at_y(f, pow(10, e)));
        label(h, LEFT - 6, at_y(f, pow(10, e)) + 4, "end", text);
    }
    label(h, (LEFT + WIDE - RIGHT) / 2.0, HIGH - 6, "middle", "thread instructions per byte");
    html_leaf(h, "text", "thread instructions per core cycle", "x", "0", "y", "0", "text-anchor",
              "middle", "transform", "translate(12 190) rotate(-90)", NULL);
}

/* From the left edge up to the roof; the name where it begins. */
static void ceiling(Html *h, const Frame *f, const Level *l, double roof)
{
    double x = pow(10, f->x0), y = x * l->ceiling, bottom = pow(10, f->y0);
    if (y < bottom) {
        x *= bottom / y;
        y = bottom;
    }
    double knee = MIN(roof / l->ceiling, pow(10, f->x1));
    g_autofree char *class = g_strdup_printf("roof %s", l->class),
                    *bytes = html_number(l->ceiling, 0);
    g_autofree char *text = g_strdup_printf("%s, %s B a cycle", l->name, bytes);
    line(h, class, at_x(f, x), at_y(f, y), at_x(f, knee), at_y(f, knee * l->ceiling));
    char place[64], px[G_ASCII_DTOSTR_BUF_SIZE], py[G_ASCII_DTOSTR_BUF_SIZE],
        angle[G_ASCII_DTOSTR_BUF_SIZE];
    double dx = at_x(f, knee) - at_x(f, x), dy = at_y(f, knee * l->ceiling) - at_y(f, y);
    fixed(px, at_x(f, x) + dx * 0.55);
    fixed(py, at_y(f, y) + dy * 0.55 - 5);
    fixed(angle, 180 / G_PI * atan2(dy, dx));
    g_snprintf(place, sizeof place, "translate(%.9s %.9s) rotate(%.9s)", px, py, angle);
    html_leaf(h, "text", text, "transform", place, "text-anchor", "middle", NULL);
}

static void point(Html *h, const char *radius, const Frame *f, const char *title, const Level *l,
                  double insns, double cycles, double bytes)
{
    char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
    double intensity = insns / bytes, speed = insns / cycles;
    g_autofree char *class = g_strdup_printf("point %s", l->class), *i = html_number(intensity, 3),
                    *s = html_number(speed, 1), *b = html_number(bytes, 0),
                    *share = html_number(100 * bytes / cycles / l->ceiling, 1);
    g_autofree char *tip = g_strdup_printf(
        "%s: %s instr. per cycle, %s instr. per byte of %s (%s bytes, %s %% of its ceiling)", title,
        s, i, l->name, b, share);
    html_open(h, "circle", "class", class, "r", radius, "cx", fixed(x, at_x(f, intensity)), "cy",
              fixed(y, at_y(f, speed)), NULL);
    html_leaf(h, "title", tip, NULL);
    html_close(h);
}

typedef struct Kernel {
    double insns, cycles, bytes[3]; /* cycles: without the launch */
} Kernel;

static Kernel kernel_of(const json_t *k, const Machine *m)
{
    Traffic t = traffic_of(k, m);
    return (Kernel){number_of(k, "thread_instructions"), cycles_at_work(k), {t.l1, t.l2, t.dram}};
}

/* Whole decades around everything that is shown. */
static Frame frame_of(const GPtrArray *kernels, const Machine *m, const Level levels[3])
{
    double x0 = 0.1, x1 = 1, y0 = m->issue / 10, y1 = m->issue;
    for (int l = 0; l < 3; l++) {
        if (levels[l].ceiling > 0) {
            x1 = MAX(x1, 2 * m->issue / levels[l].ceiling);
        }
    }
    for (guint i = 0; i < kernels->len; i++) {
        Kernel k = kernel_of(kernels->pdata[i], m);
        for (int l = 0; l < 3; l++) {
            if (k.bytes[l] > 0 && k.insns > 0 && k.cycles > 0) {
                x0 = MIN(x0, k.insns / k.bytes[l]);
                x1 = MAX(x1, k.insns / k.bytes[l]);
                y0 = MIN(y0, 0.6 * k.insns / k.cycles);
                y1 = MAX(y1, k.insns / k.cycles);
            }
        }
    }
    return (Frame){MAX(floor(log10(x0)), -6), MIN(ceil(log10(x1)), 12), MAX(floor(log10(y0)), -6),
                   MIN(ceil(log10(y1) + 0.01), 12)};
}

static bool fits(const Frame *f, const Kernel *k, int l)
{
    double x = k->bytes[l] > 0 ? k->insns / k->bytes[l] : 0,
           y = k->cycles > 0 ? k->insns / k->cycles : 0;
    return x > 0 && y > 0 && log10(x) >= f->x0 && log10(x) <= f->x1 && log10(y) >= f->y0 &&
           log10(y) <= f->y1;
}

/* Where numbers stand. */
typedef struct Box {
    double left, right, base;
} Box;

/* The number of a kernel above its point, unless it would lie upon another one: that is told by pointing at it. */
static void name_point(Html *h, GArray *taken, double x, double y, unsigned number)
{
    enum { DIGIT = 8, LINE = 15 };
    g_autofree char *n = g_strdup_printf("%u", number);
    double half = DIGIT * (double)strlen(n) / 2;
    Box own = {x - half, x + half, y};
    for (guint i = 0; i < taken->len; i++) {
        const Box *other = &g_array_index(taken, Box, i);
        if (own.left < other->right && other->left < own.right &&
            fabs(own.base - other->base) < LINE) {
            return;
        }
    }
    g_array_append_val(taken, own);
    label(h, x, y, "middle", n);
}

/* After all points, so that none covers a number. */
static void name_points(Html *h, const Frame *f, const GPtrArray *kernels, const Machine *m,
                        const Level levels[3])
{
    g_autoptr(GArray) taken = g_array_new(false, false, sizeof(Box));
    for (guint i = 0; i < kernels->len; i++) {
        Kernel k = kernel_of(kernels->pdata[i], m);
        for (int l = 0; l < 3; l++) {
            if (fits(f, &k, l) && levels[l].ceiling > 0) {
                name_point(h, taken, at_x(f, k.insns / k.bytes[l]), at_y(f, k.insns / k.cycles) - 9,
                           (unsigned)number_of(kernels->pdata[i], "uid"));
            }
        }
    }
}

static void picture(Page *p, const GPtrArray *kernels, const Run *r, const Machine *m,
                    const Level levels[3])
{
    Html *h = &p->h;
    Frame f = frame_of(kernels, m, levels);
    html_open(h, "div", "class", "scroll", NULL);
    html_open(h, "svg", "class", "roofline", "viewBox", "0 0 900 420", "role", "img", "aria-label",
              "Roofline; the table below has the numbers", NULL);
    grid(h, &f);
    double slowest = 0;
    for (int l = 0; l < 3; l++) {
        if (levels[l].ceiling > 0) {
            slowest = MAX(slowest, levels[l].ceiling);
            ceiling(h, &f, &levels[l], m->issue);
        }
    }
    double from = slowest > 0 ? MAX(m->issue / slowest, pow(10, f.x0)) : pow(10, f.x0);
    g_autofree char *peak = html_number(m->issue, 0);
    g_autofree char *text = g_strdup_printf("all issue slots: %s per cycle", peak);
    line(h, "roof issue", at_x(&f, from), at_y(&f, m->issue), WIDE - RIGHT, at_y(&f, m->issue));
    label(h, WIDE - RIGHT - 4, at_y(&f, m->issue) + 15, "end", text);
    for (guint i = 0; i < kernels->len; i++) {
        Kernel k = kernel_of(kernels->pdata[i], m);
        g_autofree char *title = kernel_title(r, kernels->pdata[i]);
        for (int l = 0; l < 3; l++) {
            if (fits(&f, &k, l) && levels[l].ceiling > 0) {
                point(h, radii[l], &f, title, &levels[l], k.insns, k.cycles, k.bytes[l]);
            }
        }
    }
    if (kernels->len > 1) {
        name_points(h, &f, kernels, m, levels);
    }
    html_close_n(h, 2);
}

static void table(Page *p, uint32_t i, const GPtrArray *kernels, const Machine *m,
                  const Level levels[3])
{
    Html *h = &p->h;
    char prefix[8];
    g_autofree char *caption = g_strdup_printf(
        "%sbytes at each level and share of its ceiling, in cycles without the launch",
        run_prefix(p, i, prefix));
    html_table(h, "sort roofline", caption);
    html_head(h, "kernel", true);
    html_head(h, "thread instr. a cycle", false);
    html_head(h, "of all issue slots", false);
    for (int l = 0; l < 3; l++) {
        g_autofree char *a = g_strdup_printf("%s, instr. a byte", levels[l].name),
                        *b = g_strdup_printf("%s, bytes per cycle", levels[l].name),
                        *c = g_strdup_printf("%s, of its ceiling", levels[l].name);
        html_head(h, a, false);
        html_head(h, b, false);
        html_head(h, c, false);
    }
    html_body(h);
    for (guint n = 0; n < kernels->len; n++) {
        Kernel k = kernel_of(kernels->pdata[n], m);
        g_autofree char *title = kernel_title(&p->run[i], kernels->pdata[n]);
        html_open(h, "tr", NULL);
        html_leaf(h, "th", title, "scope", "row", "class", "wrap code", NULL);
        if (k.cycles > 0) {
            html_cell(h, k.insns / k.cycles, 1);
        } else {
            html_none(h);
        }
        html_share(h, k.insns, k.cycles * m->issue);
        for (int l = 0; l < 3; l++) {
            if (k.bytes[l] > 0 && k.cycles > 0) {
                html_cell(h, k.insns / k.bytes[l], 3);
                html_cell(h, k.bytes[l] / k.cycles, 1);
            } else {
                html_none(h);
                html_none(h);
            }
            html_share(h, k.bytes[l], k.cycles * levels[l].ceiling);
        }
        html_close(h);
    }
    html_table_end(h);
}

static void legend(Html *h, const Level levels[3])
{
    html_open(h, "ul", "class", "legend", NULL);
    for (int l = 0; l < 3; l++) {
        html_open(h, "li", NULL);
        html_open(h, "svg", "class", "key", "viewBox", "0 0 12 12", "aria-hidden", "true", NULL);
        html_leaf(h, "circle", NULL, "class", levels[l].class, "cx", "6", "cy", "6", "r", "5",
                  NULL);
        html_close(h);
        html_textf(h, "bytes at %s", levels[l].name);
        html_close(h);
    }
    html_close(h);
}

/* Why a run has no roofline, or NULL. */
static const char *why_none(const Machine *m, const GPtrArray *kernels)
{
    return kernels->len == 0 ? "there is no kernel"
           : m->sms <= 0     ? "the number of SMs or the clock of the machine is not known"
           : m->issue <= 0   ? "the number and issue width of an SM's schedulers are not known, or "
                               "not the same in all SMs"
           : m->l1 <= 0 && m->l2 <= 0 && m->dram <= 0
               ? "the bandwidth of a memory level is not known: there is no L1D, L2 or DRAM that "
                 "counts its traffic, or their parts are not alike"
               : NULL;
}

void part_roofline(Page *p)
{
    Html *h = &p->h;
    html_section(h, "roofline", "Roofline");
    html_leaf(h, "p",
              "An operation is an instruction of one thread, whatever it computes; bytes are those "
              "a memory level moved for the kernel. Cycles exclude its launch (no CTA on any SM). "
              "Each kernel has one point per level, all at the same height: the nearer a point is "
              "to the line of its colour, the more that level limits the kernel.",
              NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        Machine m = machine_of(&p->run[i]);
        const Level levels[3] = {{"L1", "s2", m.l1}, {"L2", "s0", m.l2}, {"DRAM", "s1", m.dram}};
        g_autoptr(GPtrArray) kernels = kernels_of(&p->run[i], MOST_POINTS);
        char prefix[8];
        if (p->n > 1) {
            html_leaf(h, "h3", p->run[i].name, NULL);
        }
        const char *why = why_none(&m, kernels);
        if (why != NULL) {
            html_note(h, "%sno roofline: %s.", run_prefix(p, i, prefix), why);
            continue;
        }
        picture(p, kernels, &p->run[i], &m, levels);
        legend(h, levels);
        table(p, i, kernels, &m, levels);
    }
    html_close(h);
}
