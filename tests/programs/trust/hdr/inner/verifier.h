extern int taken;
void reach_error(void) {}
void __VERIFIER_atomic_take(void)
{
    taken++;
}
