import { Badge, Text, Title, Tooltip } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { Model } from '../../../shared/model.ts';
import { formatCount } from '../../../shared/format.ts';
import { formatLongDate, formatTimestamp } from '../../format/format.ts';
import {
  findPrices,
  type ModelField,
  toModelFields,
} from '../../../shared/model-metadata/model-fields.ts';
import classes from './models.module.css';

/** Shows all of a model's metadata: dates, counts and lists in a readable form, everything else as the service sent it. */
export function ModelFields({ model }: { readonly model: Model }) {
  const fields = useMemo(() => toModelFields(model), [model]);
  const prices = useMemo(() => findPrices(model), [model]);
  return (
    <>
      {prices.length > 0 && (
        <section aria-label="Prices">
          <Title order={3}>Prices</Title>
          <Text size="xs" c="dimmed" mb={4}>
            As the service lists them, in its own unit.
          </Text>
          <dl className={classes['fields']}>
            {prices.map(({ label, value }) => (
              <Pair key={label} name={label}>
                <dd data-figures>{value}</dd>
              </Pair>
            ))}
          </dl>
        </section>
      )}
      <section aria-label="Details from the service">
        <Title order={3}>Details from the service</Title>
        <dl className={classes['fields']}>
          {fields.map((field) => (
            <Pair key={field.name} name={field.label}>
              <Value field={field} />
            </Pair>
          ))}
        </dl>
      </section>
    </>
  );
}

function Pair({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      {children}
    </>
  );
}

function Value({ field }: { readonly field: ModelField }) {
  switch (field.kind) {
    case 'date':
      return (
        <dd>
          <Tooltip label={formatTimestamp(field.at)}>
            <time dateTime={new Date(field.at).toISOString()}>{formatLongDate(field.at)}</time>
          </Tooltip>
        </dd>
      );
    case 'count':
      return <dd data-figures>{formatCount(field.count)}</dd>;
    case 'list':
      return (
        <dd className={classes['badges']}>
          {[...new Set(field.items)].map((item) => (
            <Badge key={item} size="sm" variant="default" tt="none" fw={500}>
              {item}
            </Badge>
          ))}
        </dd>
      );
    case 'text':
      return <dd>{field.text}</dd>;
    case 'raw':
      return <dd data-raw>{field.text}</dd>;
  }
}
