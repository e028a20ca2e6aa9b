/** Example prompts of an empty conversation. Each asks for a form of answer that the sandbox has a showpiece for. */
export const STARTER_PROMPTS: readonly string[] = [
  'Explain how a TCP connection is closed, with a small table of the states.',
  'Write a TypeScript function that groups a list by a key, and a test for it.',
  'Derive the formula for the solutions of a quadratic equation.',
  'A bat and a ball cost 1.10 together, the bat 1.00 more than the ball. What does the ball cost? Show your reasoning.',
];
