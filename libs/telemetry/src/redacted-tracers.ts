import { type Span, trace, type TracerProvider } from '@opentelemetry/api';

/** Provides tracers whose spans omit the messages of errors: a database or a bank may quote confidential data in them. */
export const redactedTracers: TracerProvider = {
  getTracer(name, version) {
    const tracer = trace.getTracer(name, version);
    const startSpan: typeof tracer.startSpan = (...start) => redactedSpan(tracer.startSpan(...start));
    return { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) };
  },
};

function redactedSpan(span: Span): Span {
  if (!span.isRecording()) return span;
  const setStatus = span.setStatus.bind(span);
  const setAttributes = span.setAttributes.bind(span);
  const recordException = span.recordException.bind(span);
  span.setStatus = ({ code }) => setStatus({ code });
  span.setAttributes = ({ 'grpc.error_message': _message, ...attributes }) => setAttributes(attributes);
  span.recordException = (exception) =>
    recordException({
      name: (typeof exception === 'object' && 'name' in exception && exception.name) || 'Error',
    });
  return span;
}
