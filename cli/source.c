/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a run, and what the command wants to know of it while it passes. */
#include "source.h"

#define MANY_WARNINGS 100u

static void on_warning(void *user, const char *message)
{
    CliSource *s = user;
    if (s->warnings->len < MANY_WARNINGS) {
        g_ptr_array_add(s->warnings, g_strdup(message));
    } else if (s->warnings->len == MANY_WARNINGS) {
        g_ptr_array_add(s->warnings,
                        g_strdup("and more of this kind; 'warpwright trace check' lists them all"));
    }
}

CliSource *cli_source_new(const char *path, const WwTraceOptions *options, bool lines,
                          GError **error)
{
    CliSource *s = g_new0(CliSource, 1);
    WwTraceOptions own = *options;
    own.warn = on_warning;
    own.warn_user = s;
    s->open = g_ptr_array_new();
    s->warnings = g_ptr_array_new_with_free_func(g_free);
    s->lines = lines ? g_string_new(NULL) : NULL;
    s->trace = ww_trace_open(path, &own, error);
    if (s->trace == NULL) {
        cli_source_free(s);
        return NULL;
    }
    return s;
}

void cli_source_free(CliSource *s)
{
    if (s == NULL) {
        return;
    }
    ww_trace_free(s->trace);
    g_ptr_array_unref(s->open);
    g_ptr_array_unref(s->warnings);
    if (s->lines != NULL) {
        g_string_free(s->lines, true);
    }
    g_free(s);
}

/* The lines that the reference prints when it reads a command: scrapers tell kernels apart by them. */
static void add_lines(GString *out, const WwCommand *c)
{
    const WwKernel *k = c->kernel;
    if (c->kind == WW_COMMAND_MEMCPY_HTOD) {
        g_string_append_printf(out,
                               "launching memcpy command : MemcpyHtoD,0x%016" G_GINT64_MODIFIER
                               "x,%" G_GUINT64_FORMAT "\n",
                               c->address, c->bytes);
    } else if (c->kind == WW_COMMAND_KERNEL) {
        g_string_append_printf(
            out,
            "Processing kernel %s\n"
            "-kernel name = %s\n"
            "-kernel id = %u\n"
            "-grid dim = (%u,%u,%u)\n"
            "-block dim = (%u,%u,%u)\n"
            "-shmem = %u\n"
            "-nregs = %u\n"
            "-binary version = %u\n"
            "-cuda stream id = %" G_GUINT64_FORMAT "\n"
            "Header info loaded for kernel command : %s\n"
            "launching kernel name: %s uid: %u cuda_stream_id: %" G_GUINT64_FORMAT "\n",
            k->file, k->name, k->uid, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
            k->block[2], k->shmem, k->nregs, k->binary_version, k->stream, k->file, k->name, k->uid,
            k->stream);
    }
}

static bool source_next_command(void *self, WwCommand *out, GError **error)
{
    CliSource *s = self;
    if (!ww_trace_source.next_command(s->trace, out, error)) {
        return false;
    }
    if (out->kind == WW_COMMAND_KERNEL) {
        g_ptr_array_add(s->open, (gpointer)out->kernel);
    }
    if (s->lines != NULL) {
        add_lines(s->lines, out);
    }
    return true;
}

static bool source_next_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out,
                            GError **error)
{
    return ww_trace_source.next_cta(((CliSource *)self)->trace, kernel, out, error);
}

static void source_release_cta(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    ww_trace_source.release_cta(((CliSource *)self)->trace, kernel, cta);
}

static void source_close_kernel(void *self, const WwKernel *kernel)
{
    CliSource *s = self;
    g_ptr_array_remove(s->open, (gpointer)kernel);
    ww_trace_source.close_kernel(s->trace, kernel);
}

const WwTraceSourceIf cli_source_table = {
    .next_command = source_next_command,
    .next_cta = source_next_cta,
    .release_cta = source_release_cta,
    .close_kernel = source_close_kernel,
};
