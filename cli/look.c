/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that shall only be looked at: its trace has no commands. */
#include "cli-priv.h"

#include <ports/trace_source.h>

static bool no_command(void *self, WwCommand *out, GError **error)
{
    out->kind = WW_COMMAND_END;
    return true;
}

static bool no_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "there is no trace");
}

static void keep_cta(void *self, const WwKernel *kernel, const WwCtaTrace *cta) {}

static void keep_kernel(void *self, const WwKernel *kernel) {}

static const WwTraceSourceIf no_trace = {no_command, no_cta, keep_cta, keep_kernel};

bool cli_seal(CliSetup *setup, GError **error)
{
    g_autoptr(GError) why = NULL;
    if (ww_machine_seal(setup->machine, &why)) {
        return true;
    }
    ww_elaboration_explain(setup->elaboration, why);
    g_propagate_error(error, g_steal_pointer(&why));
    return false;
}

bool cli_setup_seal(CliSetup *setup, GError **error)
{
    int row;
    static char nobody;
    WwComponent *reader = cli_trace_port(setup->machine, &row, NULL);
    setup->sealed = (reader == NULL || ww_bind_external(reader, row, &no_trace, &nobody, error)) &&
                    cli_seal(setup, error);
    return setup->sealed;
}
