import { Badge, VisuallyHidden } from '@mantine/core';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import type { ModelSummary } from '../../../shared/model.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatCount } from '../../../shared/format.ts';
import { ModelId } from '../../components/model-id/model-id.tsx';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import { FigureCell, HeadCell, RowButton } from '../../components/row-cells.tsx';
import rows from '../../components/rows.module.css';
import { formatTokens } from '../../format/format.ts';
import { findAbilities, findContextWindow } from '../../../shared/model-metadata/model-facts.ts';
import { findTitle } from '../../../shared/model-metadata/model-title.ts';
import { FavouriteButton } from './favourite-button.tsx';
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
    getItemKey: (at) => toKey(lines[at]),
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

/** A row of the virtual list at its position. */
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

function toKey(line: CatalogRow | undefined): string {
  if (line === undefined) return '';
  return line.kind === 'group' ? `group ${line.name}` : `model ${line.summary.model.id}`;
}

function Head() {
  return (
    <div role="rowgroup">
      <div className={rows['head']} role="row" aria-rowindex={1}>
        <HeadCell>Model</HeadCell>
        <div role="columnheader">
          <VisuallyHidden>Favourite, copy</VisuallyHidden>
        </div>
        <HeadCell wide>Last used</HeadCell>
        <HeadCell figures>Requests</HeadCell>
        <HeadCell
          figures
          wide
          about="Tokens of input and output together, as the service lists it."
        >
          Context
        </HeadCell>
        <HeadCell wide about="What the service says that the model can do.">
          Abilities
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
  const { model, lastUsedAt, exchanges } = summary;
  const title = findTitle(model);
  const context = findContextWindow(model);
  return (
    <div className={rows['row']} data-chosen={chosen || undefined} role="presentation">
      <div className={`${rows['cell']} ${classes['model']}`} role="cell">
        <RowButton
          text={title === null ? model.id : `${model.id}: ${title}`}
          label={model.id}
          chosen={chosen}
          open={open}
          mono
        >
          {/* The provider is dimmed, because the group heading shows it already. */}
          <ModelId id={model.id} providerClass={classes['provider']} />
        </RowButton>
        {title !== null && <span className={classes['title']}>{title}</span>}
      </div>
      <div className={`${rows['above']} ${classes['actions']}`} role="cell">
        <FavouriteButton id={model.id} />
        <CopyButton value={model.id} what="the id" />
      </div>
      <div className={rows['cell']} role="cell" data-wide>
        {lastUsedAt === null ? '–' : <RelativeTime at={lastUsedAt} />}
      </div>
      <FigureCell count={exchanges} />
      <div className={rows['cell']} role="cell" data-figures data-wide>
        {context === null ? '–' : formatTokens(context)}
      </div>
      <div className={`${rows['cell']} ${classes['abilities']}`} role="cell" data-wide>
        {findAbilities(model).map((ability) => (
          <Badge key={ability} size="xs" variant="default" tt="none" fw={500}>
            {ability}
          </Badge>
        ))}
      </div>
    </div>
  );
}
