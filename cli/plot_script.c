/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gnuplot is told. All texts are in single quotes, in which it expands nothing, and its markup ("enhanced text") is off; data are numbers
 * only. There is no shell in between, and no file that has a name.
 */
#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CM_PER_INCH 2.54
#define PIXELS_PER_CM 37.8
#define SLOT 0.84 /* of the distance between groups, that bars fill */
#define MEAN_GAP 0.35
#define MOST_LETTERS 28u /* of a name in a picture */

/* Okabe and Ito: told apart with any colour vision. Those that are light have dark borders. */
static const char *const colours[] = {"#0072B2", "#E69F00", "#009E73", "#CC79A7",
                                      "#56B4E9", "#D55E00", "#F0E442", "#999999"};
#define N_COLOURS G_N_ELEMENTS(colours)
static const int points[] = {7, 5, 9, 13, 11, 6, 4, 8};

static void quote(const char *text, FILE *out)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    fputc('\'', out);
    for (const char *p = valid; *p != '\0'; p++) {
        uint32_t n = cli_control(p);
        fputs(*p == '\'' ? "'" : "", out);
        fputc(n != 0 ? ' ' : *p, out);
        p += n != 0 ? n - 1 : 0;
    }
    fputc('\'', out);
}

static void set_text(const char *what, const char *text, FILE *out)
{
    if (text != NULL && *text != '\0') {
        fprintf(out, "set %s ", what);
        quote(text, out);
        fputs("\n", out);
    }
}

static void number(double v, FILE *out)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    fputs(isnan(v) ? "NaN" : g_ascii_formatd(text, sizeof text, "%.9g", v), out);
}

static void terminal(const CliPlot *p, CliPlotForm form, uint32_t columns, uint32_t lines,
                     FILE *out)
{
    char w[G_ASCII_DTOSTR_BUF_SIZE], h[G_ASCII_DTOSTR_BUF_SIZE];
    if (form == CLI_DUMB) {
        fprintf(out, "set terminal dumb noenhanced size %u,%u\n", columns, lines);
    } else if (form == CLI_PDF) {
        fprintf(out, "set terminal pdfcairo noenhanced size %s,%s font 'Helvetica,9' linewidth 1\n",
                g_ascii_formatd(w, sizeof w, "%.3f", p->width / CM_PER_INCH),
                g_ascii_formatd(h, sizeof h, "%.3f", p->height / CM_PER_INCH));
    } else {
        fprintf(
            out,
            "set terminal svg noenhanced size %.0f,%.0f font 'Helvetica,12' background '#ffffff'\n",
            p->width * PIXELS_PER_CM, p->height * PIXELS_PER_CM);
    }
}

/* ---- bars ------------------------------------------------------------------------------------------------------- */

static double group_x(const CliGrid *g, guint row)
{
    return row + (g->mean_row && row + 1 == g->rows->len ? MEAN_GAP : 0);
}

static void bar_data(const CliGrid *g, FILE *out)
{
    double width = SLOT / g->columns->len;
    for (guint c = 0; c < g->columns->len; c++) {
        fprintf(out, "$d%u << END\n", c);
        for (guint r = 0; r < g->rows->len; r++) {
            number(group_x(g, r) + (c - (g->columns->len - 1) / 2.0) * width, out);
            fputc(' ', out);
            number(cli_grid_at(g, r, c), out);
            fputc('\n', out);
        }
        fputs("END\n", out);
    }
}

/* Names below the axis; slanted, then upright, where they would run into each other; long ones are cut. */
static void ticks(char *const *names, guint n, const CliGrid *g, double width_cm, FILE *out)
{
    size_t most = 0;
    for (guint i = 0; i < n; i++) {
        most = MAX(most, (size_t)g_utf8_strlen(names[i], -1));
    }
    most = MIN(most, MOST_LETTERS);
    double room = (width_cm - 2) / n;
    bool level = (double)(most + 2) * 0.19 < room;
    fprintf(out, "set xtics %snomirror out%s (",
            level         ? ""
            : room > 0.75 ? "rotate by 35 right "
                          : "rotate by 90 right ",
            room > 0.42 ? "" : " font ',7'");
    for (guint i = 0; i < n; i++) {
        g_autofree char *cut = cli_cut(names[i], MOST_LETTERS);
        g_auto(GStrv) parts = g_strsplit(cut, "%", -1); /* it would begin a format */
        g_autofree char *name = g_strjoinv("%%", parts);
        fputs(i != 0 ? ", " : "", out);
        quote(name, out);
        fputc(' ', out);
        number(g != NULL ? group_x(g, i) : i, out);
    }
    fputs(")\n", out);
}

static void bars(const CliPlot *p, CliPlotForm form, FILE *out)
{
    const CliGrid *g = p->grid;
    guint n = g->columns->len;
    double last = group_x(g, g->rows->len - 1);
    bar_data(g, out);
    ticks((char *const *)g->rows->pdata, g->rows->len, g, p->width, out);
    fputs("set xrange [-0.6:", out);
    number(last + 0.6, out);
    fputs("]\nset boxwidth ", out);
    number(SLOT / n, out);
    fputs("\nset style fill solid 1.0 border rgb '#333333'\n", out);
    if (g->mean_row && form != CLI_DUMB) {
        fputs("set arrow from first ", out);
        number(last - (1 + MEAN_GAP) / 2, out);
        fputs(", graph 0 to first ", out);
        number(last - (1 + MEAN_GAP) / 2, out);
        fputs(", graph 1 nohead linecolor rgb '#999999' dashtype 3 back\n", out);
    }
    fputs("plot ", out);
    for (guint c = 0; c < n; c++) {
        fprintf(out, "%s$d%u using 1:2 with boxes linecolor rgb '%s' %s title ", c != 0 ? ", " : "",
                c, colours[c % N_COLOURS], c >= N_COLOURS ? "fillstyle pattern 2" : "");
        quote(g->columns->pdata[c], out);
    }
}

/* ---- lines and points ------------------------------------------------------------------------------------------- */

/* Both axes from the same number to the same: whole decades, so that each has its labels, or from 0 on. */
static void same_ranges(const CliPlot *p, FILE *out)
{
    double low = INFINITY, high = 0;
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        for (guint k = 0; k < s->points->len; k++) {
            const CliPoint *at = &g_array_index(s->points, CliPoint, k);
            low = MIN(low, MIN(at->x, at->y));
            high = MAX(high, MAX(at->x, at->y));
        }
    }
    if (p->log_x) {
        low = pow(10, floor(log10(low)));
        high = MAX(pow(10, ceil(log10(high))), 10 * low);
    } else {
        low = 0;
        high = high > 0 ? 1.05 * high : 1;
    }
    for (const char *axis = "xy"; *axis != '\0'; axis++) {
        fprintf(out, "set %crange [", *axis);
        number(low, out);
        fputc(':', out);
        number(high, out);
        fputs("]\n", out);
    }
    fputs("set size square\nset grid xtics linecolor rgb '#dddddd' linetype 1\n", out);
}

static void series(const CliPlot *p, FILE *out)
{
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        fprintf(out, "$d%u << END\n", i);
        for (guint k = 0; k < s->points->len; k++) {
            const CliPoint *at = &g_array_index(s->points, CliPoint, k);
            number(at->x, out);
            fputc(' ', out);
            number(at->y, out);
            fputc('\n', out);
        }
        fputs("END\n", out);
    }
    if (p->ticks != NULL) {
        ticks((char *const *)p->ticks, g_strv_length((char **)p->ticks), NULL, p->width, out);
    }
    if (p->diagonal) {
        same_ranges(p, out);
    } else {
        fputs("set xrange [*:*] noextend\nset offsets graph 0.03, graph 0.03, 0, 0\n", out);
    }
    fputs("plot ", out);
    for (guint i = 0; i < p->series->len; i++) {
        const CliSeries *s = p->series->pdata[i];
        fprintf(out,
                "%s$d%u using 1:2 with %s linecolor rgb '%s' dashtype %u linewidth 2 pointtype %d "
                "pointsize 0.7 title ",
                i != 0 ? ", " : "", i, p->kind == CLI_SCATTER ? "points" : "linespoints",
                colours[i % N_COLOURS], i / (guint)N_COLOURS % 4 + 1,
                points[i % G_N_ELEMENTS(points)]);
        quote(s->name, out);
    }
    fputs(p->diagonal ? ", x with lines linecolor rgb '#333333' linewidth 1 notitle" : "", out);
}

static bool below_0(const CliGrid *g)
{
    for (guint i = 0; i < g->rows->len * g->columns->len; i++) {
        if (g->values[i] < 0) {
            return true;
        }
    }
    return false;
}

/* What y is, in two lines where it is a mean: a picture is not high. A terminal has room for the second only above. */
static void titles(const CliPlot *p, CliPlotForm form, FILE *out)
{
    bool above = form == CLI_DUMB && p->mean != NULL;
    g_autofree char *both =
        above && p->title != NULL ? g_strdup_printf("%s (%s)", p->title, p->mean) : NULL;
    set_text("title", both != NULL ? both : above ? p->mean : p->title, out);
    set_text("xlabel", p->x, out);
    if (above || p->mean == NULL || *p->y == '\0') {
        set_text("ylabel", !above && p->mean != NULL ? p->mean : p->y, out);
        return;
    }
    fputs("set ylabel ", out);
    quote(p->y, out);
    fputs(".\"\\n\".", out);
    quote(p->mean, out);
    fputs("\n", out);
}

void cli_plot_script(const CliPlot *p, CliPlotForm form, uint32_t columns, uint32_t lines,
                     FILE *out)
{
    guint n = p->kind == CLI_BARS ? p->grid->columns->len : p->series->len;
    terminal(p, form, columns, lines, out);
    fputs("set encoding utf8\nset decimalsign '.'\n", out);
    titles(p, form, out);
    bool named = n > 1 || p->beside;
    fputs(named ? "set key outside top center horizontal noenhanced\n" : "set key off\n", out);
    set_text("key title", named ? p->key : NULL, out);
    fputs("set border 3\nset tics nomirror out\n", out);
    if (form != CLI_DUMB) { /* there its lines would be of the letters of a series */
        fputs("set grid ytics linecolor rgb '#dddddd' linetype 1\n", out);
    }
    fputs(p->log_x ? "set logscale x\n" : "", out);
    fputs(p->log_y ? "set logscale y\n" : "", out);
    fputs("set yrange [", out);
    if (!isnan(p->low)) {
        number(p->low, out);
    } else if (p->kind == CLI_BARS && !p->log_y && !below_0(p->grid)) {
        fputs("0", out); /* bars are as long as what they show */
    }
    fputs(":", out);
    if (!isnan(p->high)) {
        number(p->high, out);
    }
    fputs("]\n", out);
    if (p->line_at_1 && form != CLI_DUMB) {
        fputs("set arrow from graph 0, first 1 to graph 1, first 1 nohead linecolor rgb '#333333' "
              "linewidth 1 back\n",
              out);
    }
    (p->kind == CLI_BARS ? bars(p, form, out) : series(p, out));
    fputc('\n', out);
}

/* ---- drawing ---------------------------------------------------------------------------------------------------- */

static char **environment(void)
{
    char **env = g_get_environ();
    static const char *const others[] = {"GNUTERM", "GNUPLOT_DEFAULT_GDFONT", "GNUPLOT_FONTPATH",
                                         "GDFONTPATH", NULL};
    for (const char *const *o = others; *o != NULL; o++) {
        env = g_environ_unsetenv(env, *o);
    }
    env = g_environ_setenv(env, "LC_ALL", "C.UTF-8", true);
    return g_environ_setenv(env, "SOURCE_DATE_EPOCH", "0", true);
}

static GString *read_all(int fd)
{
    GString *all = g_string_new(NULL);
    char chunk[65536];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)) {
        if (n > 0) {
            g_string_append_len(all, chunk, n);
        }
    }
    close(fd);
    return all;
}

/* When a PDF was made does not matter: the day is always the same. */
static void fix_date(GString *picture)
{
    static const char key[] = "/CreationDate (D:", day[] = "19700101000000";
    char *at = memmem(picture->str, picture->len, key, strlen(key));
    size_t k = 0;
    for (char *p = at != NULL ? at + strlen(key) : NULL; p != NULL && *p != ')' && *p != '\0';
         p++) {
        *p = !g_ascii_isdigit(*p) ? *p : k < strlen(day) ? day[k++] : '0';
    }
}

/* gnuplot reads the script from a pipe and writes the picture into another; what it says goes into a file without a name. */
static bool run(const CliPlot *p, CliPlotForm form, GString **picture, char **said, int *status,
                GError **error)
{
    static char *const argv[] = {(char *)"gnuplot", (char *)"--default-settings", (char *)"-",
                                 NULL};
    g_auto(GStrv) env = environment();
    GPid pid;
    int in, out;
    FILE *err = tmpfile();
    if (err == NULL) {
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "cannot make a temporary file: %s; expected room for one",
                       g_strerror(errno));
    }
    g_autoptr(GError) why = NULL;
    FILE *script = tmpfile();
    if (script == NULL) {
        fclose(err);
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "cannot make a temporary file: %s; expected room for one",
                       g_strerror(errno));
    }
    cli_plot_script(p, form, cli_width(stdout), 24, script);
    fflush(script);
    lseek(fileno(script), 0, SEEK_SET);
    in = fileno(script);
    bool good = g_spawn_async_with_pipes_and_fds(
        NULL, (const char *const *)argv, (const char *const *)env,
        G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, in, -1, fileno(err), NULL,
        NULL, 0, &pid, NULL, &out, NULL, &why);
    fclose(script);
    if (!good) {
        fclose(err);
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "cannot run gnuplot (%s); expected it installed (Debian: gnuplot-nox)",
                       why->message);
    }
    *picture = read_all(out);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) {
    }
    g_spawn_close_pid(pid);
    char line[200] = "";
    rewind(err);
    while (fgets(line, sizeof line, err) != NULL && *g_strstrip(line) == '\0') {
    }
    *said = g_strdup(line);
    fclose(err);
    return true;
}

bool cli_plot_draw(const CliPlot *p, CliPlotForm form, FILE *out, GError **error)
{
    if (form == CLI_SCRIPT) {
        cli_plot_script(p, form, 0, 0, out);
        return true;
    }
    GString *picture = NULL;
    g_autofree char *said = NULL;
    int status = 0;
    if (!run(p, form, &picture, &said, &status, error)) {
        return false;
    }
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && picture->len != 0;
    if (good) {
        fix_date(picture);
        fwrite(picture->str, 1, picture->len, out);
    } else {
        ww_fail(error, WW_ERROR_SYSTEM, "gnuplot failed: %s; expected a picture",
                *said != '\0' ? said : "no reason given");
    }
    g_string_free(picture, true);
    return good;
}
