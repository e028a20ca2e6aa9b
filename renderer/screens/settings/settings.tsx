import { Skeleton, Stack, TableOfContents } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';
import { ON_DESKTOP } from '../../client/desktop.ts';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { Appearance } from './appearance.tsx';
import { ChatSettings } from './chat.tsx';
import { DataSection } from './data-folder.tsx';
import { Diagnostics } from './diagnostics.tsx';
import { HistorySettings } from './history.tsx';
import { Proxy } from './proxy.tsx';
import classes from './settings.module.css';
import { ThisApp } from './this-app.tsx';
import { Upstreams } from './upstreams.tsx';
import { VideoSettings } from './videos.tsx';

/** Everything that can be set, each change at once or at its own button. */
export function SettingsScreen() {
  const settings = useQuery(useCalls().settings.get.queryOptions());
  if (settings.isError && settings.data === undefined) {
    return (
      <Page title="Settings">
        <Failure
          title="The settings could not be read."
          error={settings.error}
          onRetry={() => void settings.refetch()}
        />
      </Page>
    );
  }
  const inForce = settings.data;
  return (
    <Page title="Settings">
      <div className={classes['columns']}>
        <nav className={classes['contents']} aria-label="Settings">
          {/* Before the sections are there, a place jumped to would be pushed away when they come. */}
          {inForce !== undefined && (
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
        <Stack gap="md" data-settings>
          <Upstreams pinned={inForce?.pinned.upstream} />
          {inForce === undefined ? (
            <Skeleton h={420} />
          ) : (
            <>
              <Proxy inForce={inForce} />
              <HistorySettings inForce={inForce} />
              <ChatSettings />
              <VideoSettings inForce={inForce} />
            </>
          )}
          {ON_DESKTOP && <ThisApp />}
          <Appearance />
          <DataSection />
          <Diagnostics />
        </Stack>
      </div>
    </Page>
  );
}
