/** One line for people about what a fault came to. */
export function report(fault: string, outcome: string): void {
  process.stdout.write(`fault: ${fault}: ${outcome}\n`);
}
