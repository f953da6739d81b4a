/* SPDX-License-Identifier: Apache-2.0 */
/* The picture as SVG: text, boxes and lines with classes; colours are in one style sheet, for light and dark pages. */
#include "picture.h"

#include <math.h>
#include <string.h>

#define MARGIN 16.0
#define TITLE 34.0 /* its height */
#define LEGEND 26.0
#define ARROW 7.0
#define CORNER 5.0
#define THIN 1.3
#define THICK 5.0 /* more of the busiest edge */

/* Colours of light and of dark pages. (Variables of style sheets would say it once, but many a viewer does not know them.) */
typedef struct Paint {
    const char *selector, *property, *light, *dark;
} Paint;

static const Paint paints[] = {
    {"text", "fill", "#1b1f24", "#e8edf2"},
    {".page", "fill", "#ffffff", "#0f1419"},
    {".soft, .tag text", "fill", "#4e5862", "#a9b3be"},
    {".group > rect", "fill", "#f7f9fb", "#161c23"},
    {".group > rect", "stroke", "#b6bec7", "#46515c"},
    {".part > rect, .closed > rect", "fill", "#dceaf8", "#1d3550"},
    {".part > rect, .closed > rect", "stroke", "#3b76b8", "#6ea6e0"},
    {".called > rect", "fill", "#fdf0d2", "#41351a"},
    {".called > rect, .tag rect, .call path", "stroke", "#b7831c", "#d8a93f"},
    {".channel > rect", "fill", "#eceff2", "#2a323b"},
    {".channel > rect", "stroke", "#8a949e", "#7f8a95"},
    {".edge path", "stroke", "#3c4650", "#b4bfca"},
    {".edge polygon", "fill", "#3c4650", "#b4bfca"},
    {".call path", "stroke", "#b7831c", "#d8a93f"},
    {".call polygon", "fill", "#b7831c", "#d8a93f"},
    {".none path", "stroke", "#c3cad1", "#46515c"},
    {".none polygon", "fill", "#c3cad1", "#46515c"},
    {".heat0 > .face", "fill", "#f2f2f2", "#20262d"},
    {".heat1 > .face", "fill", "#fde8d0", "#3a2a1c"},
    {".heat2 > .face", "fill", "#fdcd9f", "#57351a"},
    {".heat3 > .face", "fill", "#fbb06e", "#75420f"},
    {".heat4 > .face", "fill", "#f78f3d", "#94520c"},
    {".heat5 > .face", "fill", "#ec7014", "#b3600a"},
    {".heat4 text, .heat5 text, .heat4 .tag text, .heat5 .tag text", "fill", "#1b1f24", "#ffffff"},
    {".heat4 .tag rect, .heat5 .tag rect", "stroke", "#5c3a06", "#ffe2b8"},
    {".edge:hover path", "stroke", "#c94e04", "#ff9a4d"},
    {".edge:hover polygon", "fill", "#c94e04", "#ff9a4d"},
};

static void print_style(FILE *out)
{
    fputs("<style>\n"
          "  text { font-family: \"DejaVu Sans\", Verdana, Helvetica, Arial, sans-serif; }\n"
          "  .bold { font-weight: bold; } .edge path { fill: none; stroke-linejoin: round; }\n"
          "  .tag rect { fill: none; stroke-width: 0.7; } .call path { stroke-dasharray: 4 3; }\n"
          "  .outside > rect { stroke-dasharray: 3 2; }\n",
          out);
    for (int dark = 0; dark < 2; dark++) {
        fputs(dark ? "  @media (prefers-color-scheme: dark) {\n" : "", out);
        for (size_t i = 0; i < G_N_ELEMENTS(paints); i++) {
            const Paint *p = &paints[i];
            fprintf(out, "%s  %s { %s: %s; }\n", dark ? "  " : "", p->selector, p->property,
                    dark ? p->dark : p->light);
        }
        fputs(dark ? "  }\n" : "", out);
    }
    fputs("</style>\n", out);
}

/* ---- small things ----------------------------------------------------------------------------------------------- */

static void escape(const char *text, FILE *out)
{
    g_autofree char *safe = g_markup_escape_text(text, -1);
    fputs(safe, out);
}

static void title_of(const char *text, FILE *out)
{
    g_autofree char *lines = g_strchomp(g_strdup(text));
    fputs("<title>", out);
    escape(lines, out);
    fputs("</title>", out);
}

static void number_text(double x, char *out, size_t size)
{
    g_autofree char *text = g_strdup_printf("%.1f", fabs(x) < 0.05 ? 0.0 : x);
    size_t n = strlen(text);
    if (n > 2 && strcmp(text + n - 2, ".0") == 0) {
        text[n - 2] = '\0';
    }
    g_strlcpy(out, text, size);
}

typedef struct Number {
    char text[24];
} Number;

static Number num(double x)
{
    Number n;
    number_text(x, n.text, sizeof n.text);
    return n;
}

static void text_at(double x, double y, double size, const char *classes, const char *anchor,
                    const char *text, FILE *out)
{
    fprintf(out, "<text x=\"%s\" y=\"%s\" font-size=\"%s\"%s%s%s%s%s%s>", num(x).text, num(y).text,
            num(size).text, *classes != '\0' ? " class=\"" : "", classes,
            *classes != '\0' ? "\"" : "", *anchor != '\0' ? " text-anchor=\"" : "", anchor,
            *anchor != '\0' ? "\"" : "");
    escape(text, out);
    fputs("</text>", out);
}

static void rect(double x, double y, double w, double h, double r, const char *classes, FILE *out)
{
    fprintf(out, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\"%s%s%s/>",
            num(x).text, num(y).text, num(w).text, num(h).text, num(r).text,
            *classes != '\0' ? " class=\"" : "", classes, *classes != '\0' ? "\"" : "");
}

/* ---- boxes ------------------------------------------------------------------------------------------------------ */

static const char *class_of(const PictureNode *node)
{
    static const char *const names[] = {
        [PICTURE_GROUP] = "group",     [PICTURE_PART] = "part",     [PICTURE_CALLED] = "called",
        [PICTURE_CHANNEL] = "channel", [PICTURE_CLOSED] = "closed",
    };
    return names[node->kind];
}

static void open_box(const PictureNode *node, FILE *out)
{
    int heat = node->share < 0 ? -1 : node->share <= 0 ? 0 : MIN(5, 1 + (int)(node->share * 5));
    fprintf(out, "<g class=\"%s%s", class_of(node), node->outside ? " outside" : "");
    if (heat >= 0) {
        fprintf(out, " heat%d", heat);
    }
    fputs("\" data-path=\"", out);
    escape(node->pattern != NULL ? node->pattern : "", out);
    fputs("\">", out);
    if (node->title->len != 0) {
        title_of(node->title->str, out);
    }
}

static double print_tags(const PictureNode *node, double x, double y, double w, FILE *out)
{
    for (guint i = 0; i < node->tags->len;) {
        double row = 0;
        guint n = i;
        for (; n < node->tags->len; n++) {
            double one = picture_tag_width(node->tags->pdata[n]);
            if (n != i && row + 4 + one > PICTURE_TAGS_WIDTH) {
                break;
            }
            row += (n != i ? 4 : 0) + one;
        }
        double at = x + (w - row) / 2;
        for (; i < n; i++) {
            double one = picture_tag_width(node->tags->pdata[i]);
            fputs("<g class=\"tag\">", out);
            rect(at, y + 2, one, PICTURE_TAG_ROW - 3.5, 5, "", out);
            text_at(at + one / 2, y + 10.5, PICTURE_TAG, "", "middle", node->tags->pdata[i], out);
            fputs("</g>", out);
            at += one + 4;
        }
        y += PICTURE_TAG_ROW;
    }
    return y;
}

static double print_lines(const PictureNode *node, double x, double y, FILE *out)
{
    for (guint i = 0; i < node->lines->len; i++) {
        const PictureLine *line = node->lines->pdata[i];
        y += line->size * 1.3;
        text_at(x, y - line->size * 0.3, line->size,
                line->bold     ? "bold"
                : line->figure ? ""
                : i != 0       ? "soft"
                               : "",
                "middle", line->text, out);
    }
    return y;
}

static void print_part(const PictureNode *node, double x, double y, double w, double h, FILE *out)
{
    bool channel = node->kind == PICTURE_CHANNEL;
    double r = channel ? 2 : 5;
    open_box(node, out);
    if (node->spread.most > 1) {
        rect(x + 4, y + 4, w, h, r, "", out);
    }
    rect(x, y, w, h, r, "face", out);
    double text = picture_text_height(node), at = y + (h - text) / 2;
    at = print_lines(node, x + w / 2, at, out);
    for (guint i = 0; i < node->children->len; i++) {
        PictureNode *slot = node->children->pdata[i];
        at += 4;
        print_part(slot, x + (w - slot->w) / 2, at, slot->w, slot->h, out);
        at += slot->h;
    }
    print_tags(node, x, at, w, out);
    fputs("</g>\n", out);
}

static void print_box(const PictureNode *node, double x, double y, FILE *out)
{
    if (node->kind != PICTURE_GROUP) {
        print_part(node, x + node->x, y + node->y, node->w, node->h, out);
        return;
    }
    x += node->x;
    y += node->y;
    if (node->parent != NULL) {
        g_autofree char *times = inspect_spread_text(node->spread),
                        *name = g_strconcat(node->name, times, NULL);
        open_box(node, out);
        if (node->spread.most > 1) {
            rect(x + 5, y + 5, node->w, node->h, 7, "", out);
        }
        rect(x, y, node->w, node->h, 7, "face", out);
        text_at(x + 10, y + 16, PICTURE_NAME, "bold", "", name, out);
        fputs("</g>\n", out);
    }
    for (guint i = 0; i < node->children->len; i++) {
        print_box(node->children->pdata[i], x, y, out);
    }
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

typedef struct Point {
    double x, y;
} Point;

static void add_point(GArray *line, double x, double y)
{
    const Point p = {x, y};
    g_array_append_val(line, p);
}

/* The steps of @p edge in one group, in the direction of its tokens. */
static void add_steps(GArray *line, const PictureNode *group, const PictureEdge *edge)
{
    g_autoptr(GPtrArray) own = g_ptr_array_new();
    double dx = 0, dy = 0;
    for (const PictureNode *g = group; g != NULL; g = g->parent) {
        dx += g->x;
        dy += g->y;
    }
    for (guint i = 0; i < group->inner->len; i++) {
        const PictureStep *step = group->inner->pdata[i];
        if (step->edge == edge) {
            g_ptr_array_add(own, (gpointer)step);
        }
    }
    for (guint i = 0; i < own->len; i++) {
        bool back = ((const PictureStep *)own->pdata[0])->back;
        const PictureStep *step = own->pdata[back ? own->len - 1 - i : i];
        Point p[4] = {{step->x1, step->y1},
                      {step->track, step->y1},
                      {step->track, step->y2},
                      {step->x2, step->y2}};
        for (int k = 0; k < 4; k++) {
            const Point *at = &p[back ? 3 - k : k];
            add_point(line, at->x + dx, at->y + dy);
        }
    }
}

static bool same(double a, double b)
{
    return fabs(a - b) < 0.05;
}

/* Leaves out points that lie on a line between their neighbours. */
static void simplify(GArray *line)
{
    for (guint i = 1; i + 1 < line->len;) {
        const Point *a = &g_array_index(line, Point, i - 1), *b = &g_array_index(line, Point, i),
                    *c = &g_array_index(line, Point, i + 1);
        bool level = same(a->y, b->y) && same(b->y, c->y),
             plumb = same(a->x, b->x) && same(b->x, c->x);
        if (level || plumb || (same(a->x, b->x) && same(a->y, b->y))) {
            g_array_remove_index(line, i);
        } else {
            i++;
        }
    }
}

static void print_path(const GArray *line, double width, FILE *out)
{
    const Point *p = &g_array_index(line, Point, 0);
    fprintf(out, "<path d=\"M%s %s", num(p->x).text, num(p->y).text);
    for (guint i = 1; i + 1 < line->len; i++) {
        const Point *a = &g_array_index(line, Point, i - 1), *b = &g_array_index(line, Point, i),
                    *c = &g_array_index(line, Point, i + 1);
        double before = hypot(b->x - a->x, b->y - a->y), after = hypot(c->x - b->x, c->y - b->y),
               r = MIN(CORNER, MIN(before, after) / 2);
        fprintf(out, "L%s %s", num(b->x + (a->x - b->x) * r / before).text,
                num(b->y + (a->y - b->y) * r / before).text);
        fprintf(out, "Q%s %s %s %s", num(b->x).text, num(b->y).text,
                num(b->x + (c->x - b->x) * r / after).text,
                num(b->y + (c->y - b->y) * r / after).text);
    }
    p = &g_array_index(line, Point, line->len - 1);
    fprintf(out, "L%s %s\" stroke-width=\"%s\"/>", num(p->x).text, num(p->y).text, num(width).text);
}

static void print_arrow(const GArray *line, double width, FILE *out)
{
    const Point *to = &g_array_index(line, Point, line->len - 1),
                *from = &g_array_index(line, Point, line->len - 2);
    double dir = to->x >= from->x ? 1 : -1, size = ARROW + width, half = 3 + width;
    fprintf(out, "<polygon points=\"%s,%s %s,%s %s,%s\"/>", num(to->x).text, num(to->y).text,
            num(to->x - dir * size).text, num(to->y - half).text, num(to->x - dir * size).text,
            num(to->y + half).text);
}

static void print_edge(const Picture *picture, const PictureEdge *edge, FILE *out)
{
    g_autoptr(GArray) line = g_array_new(false, false, sizeof(Point));
    g_autoptr(GPtrArray) down = g_ptr_array_new();
    PictureNode *group = edge->from->parent;
    for (; picture_child_of(group, edge->to) == NULL; group = group->parent) {
        add_steps(line, group, edge);
    }
    add_steps(line, group, edge);
    for (PictureNode *g = edge->to->parent; g != group; g = g->parent) {
        g_ptr_array_add(down, g);
    }
    for (guint i = down->len; i-- > 0;) {
        add_steps(line, down->pdata[i], edge);
    }
    simplify(line);
    if (line->len < 2) {
        return;
    }
    double share = edge->tokens >= 0 && picture->most > 0 ? edge->tokens / picture->most : 0;
    Point *end = &g_array_index(line, Point, line->len - 1);
    const Point *before = &g_array_index(line, Point, line->len - 2);
    double width = THIN + THICK * share, tip = end->x, dir = tip >= before->x ? 1 : -1;
    fprintf(out, "<g class=\"edge%s%s\" data-from=\"", edge->call ? " call" : "",
            picture->with && edge->tokens == 0 ? " none" : "");
    escape(edge->from->pattern, out);
    fputs("\" data-to=\"", out);
    escape(edge->to->pattern, out);
    fputs("\">", out);
    g_autoptr(GString) title = g_string_new(NULL);
    g_string_append_printf(title, "%s -> %s", edge->from->pattern, edge->to->pattern);
    if (edge->wire != NULL) {
        const char *port =
            edge->wire->from_port != NULL ? edge->wire->from_port : edge->wire->to_port;
        g_string_append_printf(title, "\n%s %s%s", edge->call ? "calls of" : "port",
                               port != NULL ? port : "", edge->n > 1 ? " of each of several" : "");
    }
    if (edge->tokens >= 0) {
        g_string_append_printf(title, "\n%.0f tokens, %.1f %% of the busiest", edge->tokens,
                               share * 100);
    }
    title_of(title->str, out);
    end->x -= dir * (ARROW + width - 1); /* a thick line would show beside the tip */
    print_path(line, width, out);
    end->x = tip;
    print_arrow(line, width, out);
    fputs("</g>\n", out);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static double legend_entry(double x, double y, const char *classes, const char *text, FILE *out)
{
    fprintf(out, "<g class=\"%s\">", classes);
    rect(x, y, 16, 11, 2, "face", out);
    fputs("</g>", out);
    text_at(x + 21, y + 9.5, PICTURE_TYPE, "soft", "", text, out);
    return x + 21 + picture_text_width(text, PICTURE_TYPE, false) + 16;
}

static double legend_line(double x, double y, const char *classes, double width, const char *text,
                          FILE *out)
{
    fprintf(out, "<g class=\"legend %s\"><path d=\"M%s %sL%s %s\" stroke-width=\"%s\"/></g>",
            classes, num(x).text, num(y + 5.5).text, num(x + 20).text, num(y + 5.5).text,
            num(width).text);
    text_at(x + 25, y + 9.5, PICTURE_TYPE, "soft", "", text, out);
    return x + 25 + picture_text_width(text, PICTURE_TYPE, false) + 16;
}

static double print_legend(const Picture *picture, double x, double y, FILE *out)
{
    x = legend_entry(x, y, "part", picture->with ? "clocked, no figure" : "clocked", out);
    x = legend_entry(x, y, "called", "called", out);
    x = legend_entry(x, y, "channel", "channel", out);
    x = legend_line(x, y, "edge", THIN, "tokens", out);
    x = legend_line(x, y, "edge call", THIN, "calls", out);
    fputs("<g class=\"tag\">", out);
    rect(x, y, 26, 11.5, 5, "", out);
    text_at(x + 13, y + 8.8, PICTURE_TAG, "", "middle", "part", out);
    fputs("</g>", out);
    text_at(x + 31, y + 9.5, PICTURE_TYPE, "soft", "", "calls that part", out);
    x += 31 + picture_text_width("calls that part", PICTURE_TYPE, false) + 16;
    if (picture->with) {
        x = legend_line(x, y, "edge", THIN + THICK, "the busiest", out);
        for (int heat = 0; heat <= 5; heat++) {
            fprintf(out, "<g class=\"part heat%d\">", heat);
            rect(x, y, 14, 11, 2, "face", out);
            fputs("</g>", out);
            x += 16;
        }
        text_at(x + 4, y + 9.5, PICTURE_TYPE, "soft", "", "busy, 0 to 100 %", out);
        x += 4 + picture_text_width("busy, 0 to 100 %", PICTURE_TYPE, false) + 16;
    }
    return x;
}

void picture_write(Picture *picture, const char *title, const char *subtitle, FILE *out)
{
    char *legend = NULL;
    size_t length;
    FILE *text = open_memstream(&legend, &length);
    picture_layers(picture, picture->root);
    picture_place(picture, picture->root);
    picture->root->x = MARGIN;
    picture->root->y = TITLE;
    double bottom = TITLE + picture->root->h,
           legend_w = print_legend(picture, MARGIN, bottom + 4, text);
    double head =
        MARGIN + picture_text_width(title, 15, true) + 14 + picture_text_width(subtitle, 11, false);
    double w = ceil(MAX(MAX(picture->root->w + MARGIN, legend_w), head) + MARGIN),
           h = ceil(bottom + LEGEND + 4);
    fclose(text);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 "
        "%.0f %.0f\" role=\"img\">\n<title>",
        w, h, w, h);
    escape(title, out);
    fputs("</title>\n", out);
    print_style(out);
    fputs("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", out);
    text_at(MARGIN, 22, 15, "bold", "", title, out);
    text_at(MARGIN + picture_text_width(title, 15, true) + 14, 22, 11, "soft", "", subtitle, out);
    fputc('\n', out);
    print_box(picture->root, 0, 0, out);
    for (guint i = 0; i < picture->edges->len; i++) {
        print_edge(picture, picture->edges->pdata[i], out);
    }
    fputs(legend, out);
    fputs("\n</svg>\n", out);
    free(legend);
}
