/**
 * Tells one process from a later one that got the same number. Plain JavaScript: the bootstrap needs it before
 * anything is installed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ash', 'busybox'];

/** The process that started this one; where a shell stands between, the one that started the shell. */
export function starter() {
  const parent = process.ppid;
  const { name, ppid } = describe(parent);
  return SHELLS.includes(name) ? ppid : parent;
}

function describe(pid) {
  try {
    if (existsSync('/proc/self/stat')) {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      return {
        name: stat.slice(stat.indexOf('(') + 1, end),
        ppid: Number(stat.slice(end + 2).split(' ')[1]),
      };
    }
    const text = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [ppid, name = ''] = text.split(/\s+/, 2);
    return { name: name.slice(name.lastIndexOf('/') + 1).replace(/^-/, ''), ppid: Number(ppid) };
  } catch {
    return { name: '', ppid: 0 };
  }
}

/** The moment the process began, as text to compare; undefined where no such process lives (a zombie does not). */
export function startOf(pid) {
  if (existsSync('/proc/self/stat')) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // the command's name stands in brackets and may hold anything, so fields count from the last bracket
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    const text = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' || text.startsWith('Z') ? undefined : text.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

/** Whether the process that once was recorded still lives. */
export function stillRuns(pid, start) {
  return start !== undefined && startOf(pid) === start;
}
