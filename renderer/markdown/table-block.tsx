import { Button, Group, Text } from '@mantine/core';
import { memo, useState } from 'react';
import type { Components } from 'react-markdown';
import { renderMarkdown } from './render-markdown.ts';
import { UnformattedText } from './rendered-markdown.tsx';
import { ELEMENTS, TableFrame } from './elements.tsx';
import { splitCells } from './blocks/source-lines.ts';
import { useProgressive } from './use-progressive.ts';

/** Number of rows that are parsed and memoized together. */
const ROWS_PER_PART = 40;
/** Number of cells that are shown without asking. */
const FIRST_CELLS = 4000;
const MORE_CELLS = 8000;
const MAX_COLUMNS = 200;

interface TableBlockProps {
  readonly text: string;
  readonly below: string;
}

/** Shows a table of any length: the first rows at once, the others on request. */
export function TableBlock({ text, below }: TableBlockProps) {
  const [names = '', dashes = '', ...rows] = text.split('\n');
  const columns = splitCells(names).length;
  const [cells, setCells] = useState(FIRST_CELLS);
  const minWidth = Math.max(
    ROWS_PER_PART,
    Math.floor(cells / columns / ROWS_PER_PART) * ROWS_PER_PART,
  );
  const there = Math.min(minWidth, rows.length);
  const shown = Math.min(
    there,
    useProgressive({
      first: ROWS_PER_PART,
      target: there,
      minStep: ROWS_PER_PART,
      maxStep: ROWS_PER_PART,
    }),
  );
  if (columns > MAX_COLUMNS) return <UnformattedText text={text} />;
  const parts = Array.from({ length: Math.ceil(shown / ROWS_PER_PART) || 1 });
  const remaining = rows.length - minWidth;
  const more = Math.min(remaining, Math.ceil(MORE_CELLS / columns / ROWS_PER_PART) * ROWS_PER_PART);
  return (
    <div>
      <TableFrame>
        {parts.map((_, part) => (
          <Rows
            key={part}
            head={`${names}\n${dashes}`}
            rows={rows.slice(part * ROWS_PER_PART, (part + 1) * ROWS_PER_PART).join('\n')}
            first={part === 0}
            below={below}
          />
        ))}
      </TableFrame>
      {remaining > 0 && (
        <Group gap="xs" mt={6}>
          <Text size="xs" c="dimmed">
            {rows.length.toLocaleString('en')} rows, {minWidth.toLocaleString('en')} shown.
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => setCells(cells + MORE_CELLS)}>
            Show {more.toLocaleString('en')} more
          </Button>
        </Group>
      )}
    </div>
  );
}

interface RowsProps {
  readonly head: string;
  readonly rows: string;
  readonly first: boolean;
  readonly below: string;
}

const Rows = memo(function Rows({ head, rows, first, below }: RowsProps) {
  const components = first ? WITH_HEAD : WITHOUT_HEAD;
  const drawn = renderMarkdown({ text: `${head}\n${rows}`, below, components });
  if (drawn !== null) return drawn;
  return (
    <tbody>
      <tr>
        <td>
          <pre>{rows}</pre>
        </td>
      </tr>
    </tbody>
  );
});

const WITH_HEAD: Components = { ...ELEMENTS, table: ({ children }) => children };
const WITHOUT_HEAD: Components = { ...WITH_HEAD, thead: () => null };
