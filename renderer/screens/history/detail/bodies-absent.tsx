import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { pluralize } from '../../../../shared/format.ts';
import { useCalls } from '../../../api/client.ts';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';

interface BodiesAbsentProps {
  /** `refused`: it had no valid local key. `queue`: it is one of the video queue. */
  readonly reason: 'refused' | 'queue' | null;
}

/** Says why the request and the response of an exchange are not stored. */
export function BodiesAbsent({ reason }: BodiesAbsentProps) {
  const { data } = useQuery(useCalls().settings.get.queryOptions());
  const days = data?.settings.keepBodiesDays ?? 0;
  const deleted = days === 0 ? 'were deleted' : `were deleted after ${pluralize(days, 'day')}`;
  if (reason !== null) {
    return (
      <DetailSection title="Request and response">
        <Text size="sm" c="dimmed">
          {reason === 'refused'
            ? 'Those of requests without a valid local key are not stored, so that nobody can fill the disk with them.'
            : 'Those of the video queue are not stored here: the video has the answers of the service.'}
        </Text>
      </DetailSection>
    );
  }
  return (
    <DetailSection title="Request and response">
      <Text size="sm" c="dimmed">
        They are not stored: storing them was switched off, they {deleted} or to save space, they
        could not be stored, which the log then says, or the request is older than this function.
        The limits are in{' '}
        <ScreenLink
          to="/settings"
          search={{ setting: 'Keep requests and responses' }}
          size="sm"
          underline="always"
        >
          Settings
        </ScreenLink>
        .
      </Text>
    </DetailSection>
  );
}
