/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the types of this room share: the register sets that they stand between, one pair a class of
 * function unit. The order of the classes is the order in which an input port looks at them.
 */
#pragma once

#include <ports/execute.h>
#include <ports/register_set.h>

typedef enum OpClass {
    CLASS_SP,
    CLASS_SFU,
    CLASS_MEM,
    CLASS_TENSOR,
    CLASS_DP,
    CLASS_INT,
    CLASS_SPEC,
    N_CLASSES = CLASS_SPEC + WW_NUM_SPEC
} OpClass;

typedef struct OpPorts {
    WwPort in[N_CLASSES];  /* ID_OC_x */
    WwPort out[N_CLASSES]; /* OC_EX_x */
    uint32_t n_spec, n_spec_out;
} OpPorts;

/* Classes whose two ports are bound, as a mask; false when one is bound without the other. */
static inline bool op_classes(const OpPorts *p, uint32_t *mask, GError **error)
{
    static const char *const name[N_CLASSES] = {
        "sp",      "sfu",     "mem",     "tensor",  "dp",      "int",     "spec[0]",
        "spec[1]", "spec[2]", "spec[3]", "spec[4]", "spec[5]", "spec[6]", "spec[7]"};
    *mask = 0;
    for (uint32_t c = 0; c < N_CLASSES; c++) {
        if (WW_BOUND(&p->in[c]) != WW_BOUND(&p->out[c])) {
            return ww_fail(
                error, WW_ERROR_WIRING, "port '%s' of class %s is bound, its '%s' port is not",
                WW_BOUND(&p->in[c]) ? "in" : "out", name[c], WW_BOUND(&p->in[c]) ? "out" : "in");
        }
        *mask |= WW_BOUND(&p->in[c]) ? 1u << c : 0;
    }
    return true;
}

/* What comes out of port @p k of @p row: what comes into its partner. */
static inline uint64_t op_carried(const OpPorts *p, const WwPortRow *row, uint32_t k, size_t ports)
{
    size_t first = (row->offset - ports - offsetof(OpPorts, out)) / sizeof(WwPort);
    return ww_carried(&p->in[first + k]);
}

/* Port rows for state T with `OpPorts ports`. */
#define OP_PORT(T, name_, class_, role_, field_, doc_)                                             \
    {                                                                                              \
        .name = name_, .role = role_, .contract = &ww_contract_inst, .min = 0, .max = 1,           \
        .doc = doc_, .offset = WW_FIELD(T, ports.field_[class_], WwPort)                           \
    }
#define OP_PAIR(T, name_, class_)                                                                  \
    OP_PORT(T, name_, class_, WW_IN, in, "instructions issued to the " name_ " class"),            \
        OP_PORT(T, name_ "_out", class_, WW_OUT, out, "the same, with operands, for its units")
#define OP_SPEC(T, name_, role_, field_, count_, doc_)                                             \
    {                                                                                              \
        .name = name_, .role = role_, .contract = &ww_contract_inst, .min = 0, .max = WW_NUM_SPEC, \
        .doc = doc_, .offset = WW_FIELD(T, ports.field_[CLASS_SPEC], WwPort),                      \
        .count_offset = WW_FIELD(T, ports.count_, uint32_t)                                        \
    }
#define OP_PORTS(T)                                                                                \
    OP_PAIR(T, "sp", CLASS_SP), OP_PAIR(T, "dp", CLASS_DP), OP_PAIR(T, "int", CLASS_INT),          \
        OP_PAIR(T, "sfu", CLASS_SFU), OP_PAIR(T, "mem", CLASS_MEM),                                \
        OP_PAIR(T, "tensor", CLASS_TENSOR),                                                        \
        OP_SPEC(T, "spec", WW_IN, in, n_spec,                                                      \
                "instructions issued to specialised units 1, 2, .."),                              \
        OP_SPEC(T, "spec_out", WW_OUT, out, n_spec_out, "the same, with operands")
