/* SPDX-License-Identifier: Apache-2.0 */
/* How a run stands: GET /api/run. */
#include "live-priv.h"

#include <string.h>

#define MOST_KERNELS 200u /* that are told, the last ones */

static json_t *integer(uint64_t n)
{
    return json_integer((json_int_t)MIN(n, (uint64_t)INT64_MAX));
}

json_t *live_reason_json(const CliLive *l)
{
    json_t *o = json_object();
    if (!l->paused) {
        json_decref(o);
        return json_null();
    }
    json_object_set_new(o, "kind", json_string(l->reason.kind));
    json_object_set_new(o, "text",
                        l->reason.text != NULL ? cli_json_text(l->reason.text) : json_null());
    json_object_set_new(o, "cycle", integer(l->reason.cycle));
    return o;
}

static json_t *stop_json(const CliLive *l)
{
    json_t *o = json_object();
    if (l->stop != WW_NEVER) {
        json_object_set_new(o, "cycle", integer(l->stop));
    }
    if (l->stop_kernel != 0) {
        json_object_set_new(o, "kernel", integer(l->stop_kernel));
    }
    if (l->condition.picks != NULL) {
        static const char *const ops[] = {
            [LIVE_AT_LEAST] = ">=", [LIVE_AT_MOST] = "<=", [LIVE_EQUAL] = "=="};
        G_STATIC_ASSERT(G_N_ELEMENTS(ops) == LIVE_OPS);
        json_object_set_new(o, "statistic", cli_json_text(l->condition.name));
        json_object_set_new(o, "op", json_string(ops[l->condition.op]));
        json_object_set_new(o, "value", integer(l->condition.value));
        json_object_set_new(o, "every", integer(l->condition.every));
        json_object_set_new(o, "last", integer(l->condition.last));
    }
    return o;
}

static json_t *kernels_json(const WwResults *results)
{
    json_t *list = json_array();
    uint32_t n = results->kernels.n;
    for (uint32_t i = n > MOST_KERNELS ? n - MOST_KERNELS : 0; i < n; i++) {
        const WwResultKernel *k = results->kernels.v[i];
        json_t *o = json_object();
        json_object_set_new(o, "number", integer(i + 1));
        json_object_set_new(o, "name", cli_json_text(k->name));
        json_object_set_new(o, "cycles", integer(k->cycles));
        json_object_set_new(o, "end", integer(k->end));
        json_object_set_new(o, "partial", json_boolean(k->partial));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *now_json(const WwProgress *p)
{
    json_t *o = json_object();
    json_object_set_new(o, "number", integer(p->kernel));
    json_object_set_new(o, "of", integer(p->kernels));
    json_object_set_new(o, "name", p->name != NULL ? cli_json_text(p->name) : json_null());
    json_object_set_new(o, "ctas_done", integer(p->ctas_done));
    json_object_set_new(o, "ctas_running", integer(p->ctas_running));
    json_object_set_new(o, "ctas_total", integer(p->ctas_total));
    return o;
}

static json_t *configs_json(char *const *configs)
{
    json_t *list = json_array();
    for (; configs != NULL && *configs != NULL; configs++) {
        json_array_append_new(list, cli_json_text(*configs));
    }
    return list;
}

void live_get_run(CliLive *l, const WwRequest *request, WwReply *r)
{
    const WwResults *results = l->spec.results;
    WwProgress p = {0};
    json_t *o = json_object();
    l->spec.look(l->spec.user, &p);
    const char *state = l->over != NULL ? l->over : l->paused ? "paused" : "running";
    json_object_set_new(o, "version", json_string(WW_VERSION));
    json_object_set_new(o, "state", json_string(state));
    json_object_set_new(o, "over", json_boolean(l->over != NULL));
    json_object_set_new(o, "why", l->why != NULL ? cli_json_text(l->why) : json_null());
    json_object_set_new(o, "paused", live_reason_json(l));
    json_object_set_new(o, "until", stop_json(l));
    json_object_set_new(o, "cycle", integer(ww_machine_cycle(l->machine)));
    json_object_set_new(o, "tick", integer(ww_machine_tick(l->machine)));
    json_object_set_new(o, "ipc", json_real(p.ipc));
    json_object_set_new(o, "done", json_real(CLAMP(p.done, 0, 1)));
    json_object_set_new(o, "kernel", now_json(&p));
    json_object_set_new(o, "kernels", kernels_json(results));
    json_object_set_new(o, "breakpoints", integer(l->breaks->len));
    json_object_set_new(o, "held", json_boolean(l->wait_end || g_get_monotonic_time() < l->lease));
    json_object_set_new(o, "trace", cli_json_text(results->trace));
    json_object_set_new(o, "platform",
                        cli_json_text(results->platform != NULL ? results->platform : ""));
    json_object_set_new(o, "configs", configs_json(results->configs));
    json_object_set_new(o, "components", integer(ww_machine_n_components(l->machine)));
    json_object_set_new(o, "host_s", json_real((double)(g_get_monotonic_time() - l->begin) / 1e6));
    live_reply(r, o);
}
