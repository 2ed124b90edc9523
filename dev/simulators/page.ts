/** The page of a simulator: what can be made to fail, what will fail, and what was exchanged. */
import { escapedHtml } from '../../domain/standards/html.ts';
import { FAULTS, type ArmedFault, type Fault } from './faults.ts';

/** What a simulator is, for whoever controls it. */
export interface Simulator {
  /** `Sandbox rail` */
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  /** Calls that a fault can be asked for, and what each is. */
  readonly calls: Readonly<Record<string, string>>;
}

export type Details = Readonly<Record<string, unknown>>;

/** Something that was exchanged, as `GET /log` shows it. */
export type Exchange = Details & { readonly at: string; readonly call: string; readonly fault?: Fault };

/** HTML without anything to load. */
export function controlPage({
  title,
  about,
  calls,
  faults,
  log,
  more = '',
}: Simulator & {
  readonly more?: string;
  readonly faults: readonly ArmedFault[];
  readonly log: readonly Exchange[];
}): string {
  const armed = faults.map(({ call, fault, times }) => [call, fault, String(times)]);
  const exchanged = log.map(cellsOf);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapedHtml(title)}</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1.5rem; }
  th, td { border-bottom: 1px solid #ccc; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
  td { overflow-wrap: anywhere; }
</style>
<h1>${escapedHtml(title)}</h1>
<p>${escapedHtml(about)}</p>
${more}
<h2>Faults to come</h2>
${table(['call', 'fault', 'times'], armed)}
<form id="fault">
  <select name="call">${Object.entries(calls)
    .map(
      ([call, meaning]) =>
        `<option value="${escapedHtml(call)}">${escapedHtml(call)}: ${escapedHtml(meaning)}</option>`,
    )
    .join('')}</select>
  <select name="fault">${FAULTS.map((fault) => `<option>${fault}</option>`).join('')}</select>
  <input name="times" type="number" min="1" value="1">
  <button>Add</button>
  <button type="button" id="clear">Remove all</button>
</form>
<h2>Exchanged, newest first</h2>
${table(['at', 'call', 'fault', 'details'], exchanged)}
<script>
  const send = (method, body) =>
    fetch('/faults', { method, headers: { 'Content-Type': 'application/json' }, body }).then(() => location.reload());
  document.getElementById('fault').addEventListener('submit', (event) => {
    event.preventDefault();
    const { call, fault, times } = Object.fromEntries(new FormData(event.target));
    send('POST', JSON.stringify({ call, fault, times: Number(times) }));
  });
  document.getElementById('clear').addEventListener('click', () => send('DELETE'));
</script>
</html>
`;
}

function cellsOf({ at, call, fault, ...details }: Exchange): string[] {
  return [at, call, fault ?? '', JSON.stringify(details)];
}

/** A table of texts as HTML; `None.` if it has no rows. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None.</p>';
  return `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.map(row).join('')}</table>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escapedHtml(cell)}</td>`).join('')}</tr>`;
}
