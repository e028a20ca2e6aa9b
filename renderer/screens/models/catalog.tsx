import { VisuallyHidden } from '@mantine/core';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { ModelSummary } from '../../../shared/model.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatCount } from '../../../shared/format.ts';
import { useListKeys } from '../../hooks/use-list-keys.ts';
import { FigureCell, HeadCell, RowButton, SUMS_ABOUT } from '../../components/row-cells.tsx';
import rows from '../../components/rows.module.css';
import type { CatalogRow } from './catalog-rows.ts';
import classes from './models.module.css';

const GROUP_HEIGHT = 34;
const ROW_HEIGHT = 38;

interface CatalogProps {
  readonly lines: readonly CatalogRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Lists the models by provider. Only visible rows are in the document, so that thousands are fast. */
export function Catalog({ lines, chosen, onChoose }: CatalogProps) {
  const body = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => body.current,
    estimateSize: (at) => (lines[at]?.kind === 'group' ? GROUP_HEIGHT : ROW_HEIGHT),
    getItemKey: (at) => keyOf(lines[at]),
    overscan: 12,
  });
  const indexes = lines.flatMap((line, at) => (line.kind === 'model' ? [at] : []));
  const { list, onKeyDown, rowProps } = useListKeys<HTMLDivElement>({
    count: indexes.length,
    scrollTo: (row) => virtual.scrollToIndex(indexes[row] ?? 0),
  });
  return (
    <div
      className={`${rows['list']} ${classes['catalog']}`}
      role="table"
      aria-label="Models"
      aria-rowcount={lines.length + 1}
      aria-colcount={6}
      ref={list}
      onKeyDown={onKeyDown}
    >
      <Head />
      <div className={rows['body']} role="rowgroup" ref={body} data-scroll>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map((item) => (
            <Placed key={item.key} item={item}>
              <CatalogRowView
                line={lines[item.index]}
                chosen={chosen}
                onChoose={onChoose}
                rowProps={rowProps}
              />
            </Placed>
          ))}
        </div>
      </div>
    </div>
  );
}

/** Finds the index of a line in the list. */
function Placed({ item, children }: { readonly item: VirtualItem; readonly children: ReactNode }) {
  return (
    <div
      className={classes['place']}
      style={{ transform: `translateY(${item.start}px)` }}
      role="row"
      aria-rowindex={item.index + 2}
    >
      {children}
    </div>
  );
}

interface CatalogRowViewProps extends Omit<CatalogProps, 'lines'> {
  readonly line: CatalogRow | undefined;
  readonly rowProps: (row: number) => object;
}

function CatalogRowView({ line, chosen, onChoose, rowProps }: CatalogRowViewProps) {
  if (line === undefined) return null;
  if (line.kind === 'group') {
    return (
      <div className={classes['group']} role="rowheader" aria-colspan={6}>
        {line.name} <span data-figures>{formatCount(line.count)}</span>
      </div>
    );
  }
  const { id } = line.summary.model;
  return (
    <ModelRow
      summary={line.summary}
      chosen={id === chosen}
      open={{ ...rowProps(line.row), onClick: () => onChoose(id) }}
    />
  );
}

function keyOf(line: CatalogRow | undefined): string {
  if (line === undefined) return '';
  return line.kind === 'group' ? `group ${line.name}` : `model ${line.summary.model.id}`;
}

function Head() {
  return (
    <div role="rowgroup">
      <div className={rows['head']} role="row" aria-rowindex={1}>
        <HeadCell>Model</HeadCell>
        <div role="columnheader">
          <VisuallyHidden>Copy</VisuallyHidden>
        </div>
        <HeadCell wide>Last used</HeadCell>
        <HeadCell figures>Requests</HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens in
        </HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens out
        </HeadCell>
      </div>
    </div>
  );
}

interface ModelRowProps {
  readonly summary: ModelSummary;
  readonly chosen: boolean;
  /** Props for the button of the row. */
  readonly open: object;
}

function ModelRow({ summary, chosen, open }: ModelRowProps) {
  const { model, lastUsedAt, exchanges, inputTokens, outputTokens } = summary;
  return (
    <div className={rows['row']} data-chosen={chosen || undefined} role="presentation">
      <div className={rows['cell']} role="cell">
        <RowButton text={model.id} chosen={chosen} open={open} mono>
          <Id id={model.id} />
        </RowButton>
      </div>
      <div className={rows['above']} role="cell">
        <CopyButton value={model.id} what="the id" />
      </div>
      <div className={rows['cell']} role="cell" data-wide>
        {lastUsedAt === null ? '–' : <RelativeTime at={lastUsedAt} />}
      </div>
      <FigureCell count={exchanges} />
      <FigureCell count={inputTokens} wide />
      <FigureCell count={outputTokens} wide />
    </div>
  );
}

/** The provider is dimmed, because the group heading shows it already. */
function Id({ id }: { readonly id: string }) {
  const slash = id.indexOf('/') + 1;
  return (
    <>
      <span className={classes['provider']}>{id.slice(0, slash)}</span>
      {id.slice(slash)}
    </>
  );
}
