long double wide;
int main(void) { return wide != 0; }
