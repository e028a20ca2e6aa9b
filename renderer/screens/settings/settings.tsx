import { Skeleton, Stack, TableOfContents } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useCalls } from '../../api/client.ts';
import { ON_DESKTOP } from '../../api/desktop.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { Page } from '../../components/page.tsx';
import { Appearance } from './sections/appearance.tsx';
import { ChatSection } from './sections/chat.tsx';
import { DataSection } from './sections/data-folder.tsx';
import { Diagnostics } from './sections/diagnostics.tsx';
import { HistorySection } from './sections/history.tsx';
import { Proxy } from './sections/proxy.tsx';
import { RunawaySection } from './sections/runaway.tsx';
import classes from './settings.module.css';
import { AppSection } from './sections/app.tsx';
import { Upstreams } from './services/services.tsx';
import { VideoSettings } from './sections/videos.tsx';
import { useShownSetting } from './use-shown-setting.ts';

/** The settings screen. Each change is saved at once or by its own button. */
export function SettingsScreen() {
  const contents = useRef<HTMLDivElement>(null);
  const settings = useQuery(useCalls().settings.get.queryOptions());
  useShownSetting(contents, settings.data !== undefined);
  if (settings.isError && settings.data === undefined) {
    return (
      <Page title="Settings">
        <ErrorState
          title="Could not load the settings."
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      </Page>
    );
  }
  const effectiveSettings = settings.data;
  return (
    <Page title="Settings">
      <div className={classes['columns']}>
        <nav className={classes['contents']} aria-label="Settings">
          {/* Rendered after the sections are loaded: a section scrolled to earlier would be pushed away. */}
          {effectiveSettings !== undefined && (
            <TableOfContents
              variant="light"
              size="sm"
              scrollSpyOptions={{ selector: '[data-settings] h2', offset: 80 }}
              minDepthToOffset={2}
              getControlProps={({ data }) => ({
                onClick: () => data.getNode().scrollIntoView({ block: 'start' }),
                children: data.value,
              })}
            />
          )}
        </nav>
        <Stack gap="md" data-settings ref={contents}>
          <Upstreams pinned={effectiveSettings?.pinned.upstream} />
          {effectiveSettings === undefined ? (
            <Skeleton h={420} />
          ) : (
            <>
              <Proxy effectiveSettings={effectiveSettings} />
              <RunawaySection settings={effectiveSettings.settings} />
              <HistorySection effectiveSettings={effectiveSettings} />
              <ChatSection />
              <VideoSettings effectiveSettings={effectiveSettings} />
            </>
          )}
          {ON_DESKTOP && <AppSection />}
          <Appearance />
          <DataSection />
          <Diagnostics />
        </Stack>
      </div>
    </Page>
  );
}
