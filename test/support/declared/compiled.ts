/** What the compiler says of source text, without a file on disk. */
import { join } from 'node:path';
import ts from 'typescript';
import { ROOT } from '../../../dev/service/process.ts';

/** Compiles each text as the file of that path, beside the service's own files. Answers the messages of each, in full. */
export function messagesOf(texts: Readonly<Record<string, string>>): Record<string, string[]> {
  const files = new Map(Object.entries(texts).map(([path, text]) => [join(ROOT, path), text]));
  const { options } = ts.parseJsonConfigFileContent(
    { extends: './tsconfig.json', files: [...files.keys()] },
    ts.sys,
    ROOT,
  );
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile, readFile } = host;
  host.fileExists = (path) => files.has(path) || fileExists(path);
  host.readFile = (path) => files.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = files.get(path);
    return text === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return Object.fromEntries(
    Object.keys(texts).map((path) => {
      const file = program.getSourceFile(join(ROOT, path));
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
      return [path, found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))];
    }),
  );
}
