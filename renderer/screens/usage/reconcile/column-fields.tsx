import { MultiSelect, Select } from '@mantine/core';
import type { UsageExportSample } from '../../../../shared/reconcile/reconcile-contract.ts';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import classes from './reconcile.module.css';

interface ColumnFieldsProps {
  readonly sample: UsageExportSample;
  readonly columns: UsageColumns;
  readonly onChange: (part: Partial<UsageColumns>) => void;
}

/** The fields that assign the columns of an export. */
export function ColumnFields({ sample, columns, onChange }: ColumnFieldsProps) {
  const names = sample.columns.map(({ name }) => name);
  const { time, model, id, requests, input, output, cost, rows } = columns;
  return (
    <>
      <Select
        {...toOptions(names)}
        label="Time"
        description="A date, or a date with a time"
        withAsterisk
        allowDeselect={false}
        value={time || null}
        onChange={(chosen) => onChange({ time: chosen ?? '' })}
      />
      <OneColumn
        label="Model"
        description="As it is named in the history"
        {...{ names, value: model }}
        onChange={(chosen) => onChange({ model: chosen })}
      />
      <SeveralColumns
        label="Input tokens"
        description="With cached ones: several are added up"
        {...{ names, value: input }}
        onChange={(chosen) => onChange({ input: chosen })}
      />
      <SeveralColumns
        label="Output tokens"
        description="With reasoning: several are added up"
        {...{ names, value: output }}
        onChange={(chosen) => onChange({ output: chosen })}
      />
      <OneColumn
        label="Cost"
        description="In the currency of your prices"
        {...{ names, value: cost }}
        onChange={(chosen) => onChange({ cost: chosen })}
      />
      {rows === 'request' ? (
        <OneColumn
          label="Request id"
          description="As a header of the answer has it"
          {...{ names, value: id }}
          onChange={(chosen) => onChange({ id: chosen })}
        />
      ) : (
        <OneColumn
          label="Requests"
          description="The number of requests of a sum"
          {...{ names, value: requests }}
          onChange={(chosen) => onChange({ requests: chosen })}
        />
      )}
      <RowFields columns={columns} onChange={onChange} />
    </>
  );
}

/** Options that a list shows at once. */
const MAX_SHOWN = 100;
/** Columns that are added up, as the contract limits them. */
const MAX_SUMMED = 10;
const SEARCH = { inputField: classes['search'] ?? '' };

function toOptions(names: readonly string[]) {
  return { data: [...names], searchable: true, limit: MAX_SHOWN, placeholder: 'None' };
}

interface FieldProps<Value> {
  readonly label: string;
  readonly description: string;
  readonly names: readonly string[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

function OneColumn({ names, ...rest }: FieldProps<string | null>) {
  return <Select {...toOptions(names)} {...rest} clearable />;
}

function SeveralColumns({ names, value, ...rest }: FieldProps<string[]>) {
  return (
    <MultiSelect
      {...toOptions(names)}
      {...rest}
      value={value}
      placeholder={value.length === 0 ? 'None' : ''}
      maxValues={MAX_SUMMED}
      classNames={SEARCH}
    />
  );
}

const ROWS: { value: UsageColumns['rows']; label: string }[] = [
  { value: 'request', label: 'A single request' },
  { value: 'day', label: 'The sum of a day' },
  { value: 'hour', label: 'The sum of an hour' },
];
const ZONES: { value: UsageColumns['timeZone']; label: string }[] = [
  { value: 'utc', label: 'UTC' },
  { value: 'local', label: 'Local time' },
];

/** The fields that say how the rows are to be read. */
function RowFields({ columns, onChange }: Omit<ColumnFieldsProps, 'sample'>) {
  return (
    <>
      <Select
        label="Each row is"
        description="A request, or a sum"
        allowDeselect={false}
        data={ROWS}
        value={columns.rows}
        onChange={(rows) => rows !== null && onChange({ rows })}
      />
      <Select
        label="Time zone"
        description="Of days, and of times without one"
        allowDeselect={false}
        data={ZONES}
        value={columns.timeZone}
        onChange={(timeZone) => timeZone !== null && onChange({ timeZone })}
      />
    </>
  );
}
