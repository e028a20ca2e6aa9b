import { Switch } from '@mantine/core';
import type { EffectiveSettings } from '../../../../shared/settings.ts';
import { Panel } from '../../../components/panel.tsx';
import { toastError } from '../../../hooks/toast.ts';
import { LearnedFields } from '../services/learned-fields.tsx';
import { Row, Rows } from '../setting-row.tsx';
import { useSettingsChange } from '../use-settings-change.ts';
import { VideoInputs } from './video-inputs.tsx';

/** The settings of videos: their folder, concurrency, and the learned fields of each service. */
export function VideoSettings({
  effectiveSettings: { settings },
}: {
  readonly effectiveSettings: EffectiveSettings;
}) {
  const change = useSettingsChange();
  const setEnabled = (keepClientVideos: boolean) =>
    change.mutate(
      { keepClientVideos },
      { onError: (error) => toastError('Could not save the change.', error) },
    );
  return (
    <Panel title="Videos">
      <Rows>
        <VideoInputs videoFolder={settings.videoFolder} videosAtOnce={settings.videosAtOnce} />
        <Row
          small
          label="Keep clients’ videos"
          about="Also downloads and keeps videos that clients order. When off, they are only tracked, and the client downloads them."
        >
          <Switch
            aria-label="Keep clients’ videos"
            checked={settings.keepClientVideos}
            onChange={(event) => setEnabled(event.currentTarget.checked)}
          />
        </Row>
        <LearnedFields />
      </Rows>
    </Panel>
  );
}
