/* Checks of SV-COMP in a header that another one includes. */
#ifndef CHECKS_H
#define CHECKS_H
#include "inner/verifier.h"
#endif
