// The pieces are compiled and linked, not run: it takes a Redis to run them.
int main() {}
