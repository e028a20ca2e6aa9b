import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';
import { Ago } from '../../parts/ago.tsx';
import { Page } from '../../parts/page.tsx';
import { AttentionPanel } from './attention.tsx';
import classes from './home.module.css';
import { Latest } from './latest.tsx';
import { Month } from './month.tsx';
import { Service } from './service.tsx';
import { Today } from './today.tsx';

/** Whether Gatehouse runs and for whom, what happened today, what needs attention, and what passes through now. */
export function Home() {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return (
    <Page
      title="Home"
      about={
        data === undefined ? (
          'Connecting…'
        ) : (
          <>
            Gatehouse {data.version}, started <Ago at={data.startedAt} />
          </>
        )
      }
    >
      <Stack gap="md">
        <AttentionPanel />
        <div className={classes['halves']}>
          <Service />
          <Today />
        </div>
        <Month />
        <Latest />
      </Stack>
    </Page>
  );
}
