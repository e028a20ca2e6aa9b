import { Switch } from '@mantine/core';
import type { SettingsInForce } from '../../../shared/settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { sayFailed } from '../../parts/said.ts';
import { LearnedFields } from './learned-fields.tsx';
import { Row, Rows } from './row.tsx';
import { useChange } from './use-change.ts';
import { VideoInputs } from './video-inputs.tsx';

/** Where videos go, how many are made at once, and what is known of each service's answers. */
export function VideoSettings({ inForce: { settings } }: { readonly inForce: SettingsInForce }) {
  const change = useChange();
  const turn = (keepClientVideos: boolean) =>
    change.mutate(
      { keepClientVideos },
      { onError: (error) => sayFailed('It stays as it was.', error) },
    );
  return (
    <Panel title="Videos">
      <Rows>
        <VideoInputs videoFolder={settings.videoFolder} videosAtOnce={settings.videosAtOnce} />
        <Row
          small
          label="Keep clients’ videos"
          about="Fetches and keeps the videos that clients order, too. When off, they are only watched; the client fetches them."
        >
          <Switch
            aria-label="Keep clients’ videos"
            checked={settings.keepClientVideos}
            onChange={(event) => turn(event.currentTarget.checked)}
          />
        </Row>
        <LearnedFields />
      </Rows>
    </Panel>
  );
}
