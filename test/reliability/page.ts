import { FAULTS } from './faults.ts';

const HEAD = `# Reliability: what goes wrong, and what happens then

This page is made by \`npm run reliability\` from \`test/reliability/faults.ts\`; a test holds that it is current and that each named test is there. What the tests of a row do is in their
files. How long the program holds out under mixed load is below, how the queue of videos is killed in [videos-proof.md](videos-proof.md), what it is not safe from in [SECURITY.md](../SECURITY.md).
`;

/** Builds the text of `docs/reliability.md`, without the measurements. */
export function reliabilityPage(): string {
  const parts = [...new Set(FAULTS.map(({ part }) => part))];
  const sections = parts.map((part) => {
    const rows = FAULTS.filter((fault) => fault.part === part).map(
      ({ fault, expected, file, test }) => `| ${fault} | ${expected} | ${file}: “${test}” |`,
    );
    return [`## ${part}`, '', '| fault | expected | test |', '|---|---|---|', ...rows, ''].join(
      '\n',
    );
  });
  return [HEAD, ...sections].join('\n');
}

/** Heading of the measurements, which are written by hand. */
export const MEASURED = '\n## Measured\n';
