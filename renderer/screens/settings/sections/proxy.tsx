import { Switch } from '@mantine/core';
import type { EffectiveSettings } from '../../../../shared/settings.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { Port } from './port.tsx';
import { Row, Rows } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

/** The settings of the proxy: port, and repairs. */
export function Proxy({ inForce }: { readonly inForce: EffectiveSettings }) {
  const { settings, pinned } = inForce;
  const change = useSettingsChange();
  const turn = (repairs: boolean) =>
    change.mutate(
      { repairs },
      { onError: (error) => toastError('Could not save the change.', error) },
    );
  return (
    <Panel title="Proxy">
      <Rows>
        <Port inForce={inForce} />
        <Row
          small
          label="Repairs"
          about="Fixes wrong paths, headers and model names, and tells you what to change. When off, only the key is replaced."
          pinned={pinned.repairs}
        >
          <Switch
            aria-label="Repairs"
            checked={settings.repairs}
            onChange={(event) => turn(event.currentTarget.checked)}
            disabled={pinned.repairs !== undefined}
          />
        </Row>
      </Rows>
    </Panel>
  );
}
