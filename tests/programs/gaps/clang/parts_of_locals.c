int main(void) {
    int parts[2] = {0, 1};
    int *whole = parts;
    return whole[0] + parts[0];
}
