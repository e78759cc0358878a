//! Release sequences follow the standard that the unit was compiled for.
