import { Button, Group, Text } from '@mantine/core';
import { memo, useState } from 'react';
import type { Components } from 'react-markdown';
import { draw } from './draw.ts';
import { Plain } from './drawn.tsx';
import { ELEMENTS, TableFrame } from './elements.tsx';
import { cellsOf } from './lines.ts';
import { useLittleByLittle } from './little-by-little.ts';

/** Rows are parsed and kept together so many at a time. */
const TOGETHER = 40;
/** So many cells are shown by themselves. */
const FIRST_CELLS = 4000;
const MORE_CELLS = 8000;
const MOST_COLUMNS = 200;

interface TableBlockProps {
  readonly text: string;
  readonly below: string;
}

/** A table of any length: the first rows at once, the others when they are asked for. */
export function TableBlock({ text, below }: TableBlockProps) {
  const [names = '', dashes = '', ...rows] = text.split('\n');
  const columns = cellsOf(names).length;
  const [cells, setCells] = useState(FIRST_CELLS);
  const wanted = Math.max(TOGETHER, Math.floor(cells / columns / TOGETHER) * TOGETHER);
  const there = Math.min(wanted, rows.length);
  const shown = Math.min(there, useLittleByLittle(TOGETHER, there, stepOfRows));
  if (columns > MOST_COLUMNS) return <Plain text={text} />;
  const parts = Array.from({ length: Math.ceil(shown / TOGETHER) || 1 });
  const left = rows.length - wanted;
  const more = Math.min(left, Math.ceil(MORE_CELLS / columns / TOGETHER) * TOGETHER);
  return (
    <div>
      <TableFrame>
        {parts.map((_, part) => (
          <Rows
            key={part}
            head={`${names}\n${dashes}`}
            rows={rows.slice(part * TOGETHER, (part + 1) * TOGETHER).join('\n')}
            first={part === 0}
            below={below}
          />
        ))}
      </TableFrame>
      {left > 0 && (
        <Group gap="xs" mt={6}>
          <Text size="xs" c="dimmed">
            {rows.length.toLocaleString('en')} rows, {wanted.toLocaleString('en')} shown.
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => setCells(cells + MORE_CELLS)}>
            Show {more.toLocaleString('en')} more
          </Button>
        </Group>
      )}
    </div>
  );
}

const stepOfRows = (): number => TOGETHER;

interface RowsProps {
  readonly head: string;
  readonly rows: string;
  readonly first: boolean;
  readonly below: string;
}

const Rows = memo(function Rows({ head, rows, first, below }: RowsProps) {
  const components = first ? WITH_HEAD : WITHOUT_HEAD;
  const drawn = draw({ text: `${head}\n${rows}`, below, components });
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
