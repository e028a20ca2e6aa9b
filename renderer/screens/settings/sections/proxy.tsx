import { Switch } from '@mantine/core';
import type { EffectiveSettings, Settings, SettingsChange } from '../../../../shared/settings.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { Listeners } from './listeners.tsx';
import { Port } from './port.tsx';
import { Row, Rows } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';

/** The settings of the proxy: port, repairs, usage of streams, and their end at a limit. */
export function Proxy({ effectiveSettings }: { readonly effectiveSettings: EffectiveSettings }) {
  const { settings, pinned } = effectiveSettings;
  const change = useSettingsChange();
  const save = (some: SettingsChange) =>
    change.mutate(some, {
      onError: (error) => toastError('Could not save the change.', error),
    });
  return (
    <Panel title="Proxy">
      <Rows>
        <Port effectiveSettings={effectiveSettings} />
        <Listeners />
        <Row
          small
          label="Repairs"
          about="Fixes wrong paths, headers and model names, and tells you what to change. When off, only the key is replaced."
          pinned={pinned.repairs}
        >
          <Switch
            aria-label="Repairs"
            checked={settings.repairs}
            onChange={(event) => save({ repairs: event.currentTarget.checked })}
            disabled={pinned.repairs !== undefined}
          />
        </Row>
        <Row
          small
          label="Usage of streams"
          about="Asks chat streams for their token counts when the client does not, and takes the counts out again. Needs repairs."
        >
          <Switch
            aria-label="Usage of streams"
            checked={settings.asksForUsage}
            onChange={(event) => save({ asksForUsage: event.currentTarget.checked })}
            disabled={!settings.repairs}
          />
        </Row>
        <LimitRows settings={settings} save={save} />
      </Rows>
    </Panel>
  );
}

interface LimitRowsProps {
  readonly settings: Settings;
  readonly save: (change: SettingsChange) => void;
}

/** What happens at limits of what clients may use. */
function LimitRows({ settings, save }: LimitRowsProps) {
  return (
    <>
      <Row
        small
        label="End streams at a limit"
        about="Ends a stream that exceeds a limit of money or tokens, with an error. When off, it finishes, and the next request is refused. What was received is charged either way."
      >
        <Switch
          aria-label="End streams at a limit"
          checked={settings.cutsStreams}
          onChange={(event) => save({ cutsStreams: event.currentTarget.checked })}
        />
      </Row>
      <Row
        small
        label="Refuse what has no price"
        about="A limit of money cannot count requests to models without a price. When on, it refuses them. When off, they pass, and Home says so."
      >
        <Switch
          aria-label="Refuse what has no price"
          checked={settings.refusesUnpriced}
          onChange={(event) => save({ refusesUnpriced: event.currentTarget.checked })}
        />
      </Row>
    </>
  );
}
