import { FAULTS } from './faults.ts';

const HEAD = `# Reliability: faults and how Gatehouse handles them

\`npm run faults:page\` generates this page from \`test/reliability/page/faults.ts\`; a test checks that it is current and that each named test exists. The file of a test shows how it causes the fault.
The results of long runs under mixed load are below. [videos-proof.md](videos-proof.md) covers kills of the video queue, and [SECURITY.md](../SECURITY.md) lists the known limits.
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
