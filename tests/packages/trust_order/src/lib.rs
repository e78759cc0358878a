//! Several test programs in one package: what one of them explores is its own affair.
