import { Group } from '@mantine/core';
import type { ExchangeDetail } from '../../../../shared/history/history.ts';
import { ExportMenu } from '../../../components/export/export-menu.tsx';
import { CompareMenu } from './compare-menu.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { DeleteExchange } from './marks/delete-exchange.tsx';
import { EditMark } from './marks/edit-mark.tsx';
import { PinButton } from './marks/pin-button.tsx';
import { ReplayButton } from './replay/replay-button.tsx';

interface ExchangeActionsProps {
  readonly detail: ExchangeDetail;
  readonly onDeleted: () => void;
}

/** The actions on one exchange. */
export function ExchangeActions({ detail, onDeleted }: ExchangeActionsProps) {
  const { exchange, mark } = detail;
  const { id } = exchange;
  return (
    <Group gap="xs" role="group" aria-label="Actions on this request">
      <CopyMenu detail={detail} />
      <ReplayButton key={`replay ${id}`} detail={detail} />
      <CompareMenu key={`compare ${id}`} exchange={exchange} />
      <ExportMenu key={id} part={{ kind: 'exchange', id }} label="Export this request" />
      <PinButton id={id} pinned={mark?.pinned === true} />
      <EditMark key={`mark ${id}`} id={id} mark={mark} />
      <DeleteExchange key={`delete ${id}`} detail={detail} onDeleted={onDeleted} />
    </Group>
  );
}
