/** One thing that is said to the person, in whole sentences. */
export interface Notice {
  readonly text: string;
  readonly tone: 'info' | 'warn';
}
