import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Page } from '../../components/page.tsx';
import { AttentionPanel } from './attention.tsx';
import classes from './home.module.css';
import { Latest } from './latest.tsx';
import { Month } from './month.tsx';
import { Service } from './service.tsx';
import { Today } from './today.tsx';

/** The home screen: the service in use, today's sums, problems, and the latest requests. */
export function Home() {
  const calls = useCalls();
  const status = useQuery(calls.status.get.queryOptions());
  const { data } = status;
  // Until it is known whether the first steps follow, nothing is announced that they would replace.
  const isUnsure = status.isPending || data?.setUp === false;
  // Loaded before the rest is shown: appearing later at the top, it would push the rest down.
  const attention = useQuery(calls.home.attention.queryOptions());
  return (
    <Page
      title="Home"
      about={
        data === undefined ? (
          'Connecting…'
        ) : (
          <>
            Gatehouse {data.version}, started <RelativeTime at={data.startedAt} />
          </>
        )
      }
    >
      {!isUnsure && (attention.isPending ? <Waiting /> : <Panels />)}
    </Page>
  );
}

function Panels() {
  return (
    <Stack gap="md">
      <AttentionPanel />
      <div className={classes['columns']}>
        <Service />
        <Today />
      </div>
      <Month />
      <Latest />
    </Stack>
  );
}

function Waiting() {
  return (
    <Stack gap="md">
      <div className={classes['columns']}>
        <Skeleton h={268} />
        <Skeleton h={268} />
      </div>
      <Skeleton h={280} />
      <Skeleton h={340} />
    </Stack>
  );
}
