/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faulty providers: each is a shipped type of which one function does something else now and then, as its author might have got it wrong.
 */
#pragma once

#include <warpwright/component.h>

typedef struct Fault {
    struct {
        const char *name; /* "faulty." and this. */
        const char *of;   /* The type that it is otherwise, */
        const char *port; /* but for one of this port's functions. */
        size_t table, at; /* Size of the table of functions, and where in it. */
        void (*function)(void);
    } is;
    const char *caught; /* By this check. */
} Fault;

#define FAULT(name, of, port, If, f, g)                                                            \
    {                                                                                              \
        "faulty." name, of, port, sizeof(If), offsetof(If, f), (void (*)(void))g                   \
    }

/* Where the faulty functions of a room find the right ones. */
typedef struct Original {
    const char *type, *port;
    const void *table; /* Address of a pointer to a const table. */
} Original;

typedef struct FaultRoom {
    const Original *originals; /* Ends with a type NULL. */
    const Fault *fault;
    size_t n;
} FaultRoom;

extern const FaultRoom faults_of_issue, faults_of_memory, faults_of_caches, faults_of_gpu,
    faults_of_front, faults_of_sub_cores;

extern uint32_t fault_calls;

/* Every seventh call. */
static inline bool now_and_then(void)
{
    return ++fault_calls % 7 == 0;
}

/* Where a faulty provider keeps what it should not: behind the state of the type that it is. */
static inline uint64_t *extra(void *self)
{
    const WwComponent *c = self;
    return (uint64_t *)((char *)self + c->type->size - sizeof(uint64_t));
}
