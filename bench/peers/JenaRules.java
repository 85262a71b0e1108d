// Peer: the rules of Apache Jena on its forward Rete engine, which takes triples and takes them back.
//
// At each full second of event time the graphs that have left the window are taken back, those that
// came are added, and the difference to the answers of the second before is written, as
// full_seconds.py writes it. Jena takes a conclusion back when one of its derivations is gone, even if
// another holds. So q1 and q2 conclude of each offer what its product and price are, and this program
// joins the two; two derivations of anything else that is asked for end together. usage: java JenaRules QUERY STREAM STATIC WINDOW_IN_MS; without
// arguments: the versions.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.apache.jena.Jena;
import org.apache.jena.datatypes.TypeMapper;
import org.apache.jena.graph.Factory;
import org.apache.jena.graph.Graph;
import org.apache.jena.graph.Node;
import org.apache.jena.graph.NodeFactory;
import org.apache.jena.graph.Triple;
import org.apache.jena.reasoner.InfGraph;
import org.apache.jena.reasoner.rulesys.GenericRuleReasoner;
import org.apache.jena.reasoner.rulesys.Rule;

public final class JenaRules {
    private static final String BSBM = "http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/";
    private static final String SSN = "http://purl.oclc.org/NET/ssnx/ssn#";
    private static final String HURRICANE = "<http://dbpedia.org/class/yago/Hurricane111467018>";
    private static final String TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>";
    private static final String ABOVE = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>";
    private static final String STAMP = " <http://www.w3.org/ns/prov#generatedAtTime> ";
    private static final Pattern TERM =
        Pattern.compile("<([^>]*)>|_:(\\S+)|\"((?:[^\"\\\\]|\\\\.)*)\"(?:\\^\\^<([^>]*)>)?");

    private static final String CLASSES =
        pattern("x", TYPE, "?c") + pattern("c", ABOVE, "?d") + "-> " + pattern("x", TYPE, "?d");
    private static final String OFFER =
        pattern("offer", TYPE, bsbm("Offer"))
            + offered("product") + offered("vendor") + offered("price") + offered("validFrom")
            + offered("validTo") + offered("deliveryDays") + offered("offerWebpage")
            + pattern("offer", "<http://purl.org/dc/elements/1.1/publisher>", "?publisher")
            + pattern("offer", "<http://purl.org/dc/elements/1.1/date>", "?date");
    private static final String PRODUCT = "urn:offered:product";
    private static final String PRICE = "urn:offered:price";
    private static final String PRICED =
        "-> " + pattern("offer", "<" + PRODUCT + ">", "?product")
            + pattern("offer", "<" + PRICE + ">", "?price");

    private static final Map<String, List<String>> RULES = Map.of(
        "q1", List.of(OFFER + PRICED),
        "q2", List.of(
            CLASSES,
            OFFER + pattern("product", TYPE, "<" + BSBM + "instances/ProductType3>") + PRICED),
        "q3", List.of(
            pattern("s", bsbm("product"), "?product") + pattern("o", bsbm("product"), "?product")
                + pattern("s", bsbm("price"), "?less") + pattern("o", bsbm("price"), "?more")
                + "lessThan(?less, ?more) -> " + pattern("s", bsbm("undercuts"), "?o")),
        "q4", List.of(
            CLASSES,
            pattern("s", "<" + SSN + "observedProperty>",
                    "<http://knoesis.wright.edu/ssw/ont/weather.owl#_WindSpeed>")
                + pattern("s", "<" + SSN + "observedBy>", "?sensor")
                + pattern("s", "<" + SSN + "observationResult>", "?result")
                + pattern("result", "<" + SSN + "hasValue>", "?value")
                + pattern("value",
                    "<http://www.semsorgrid4env.eu/ontologies/SsnExtension.owl#hasQuantityValue>",
                    "?v")
                + pattern("storm", TYPE, HURRICANE)
                + pattern("storm", "<http://dbpedia.org/property/1MinWinds>", "?wind")
                + "greaterThan(?v, ?wind) -> "
                + pattern("s", "<" + SSN + "observedWeatherType>", HURRICANE)));
    private static final Map<String, String> PROPERTIES = Map.of(
        "q1", PRODUCT,
        "q2", PRODUCT,
        "q3", BSBM + "vocabulary/undercuts",
        "q4", SSN + "observedWeatherType");

    private static final Node PRICE_NODE = NodeFactory.createURI(PRICE);
    private static final Node OFFER_PRICE =
        NodeFactory.createURI(BSBM + "vocabulary/offerPrice");

    private record Held(long at, List<Triple> triples) { }

    private final InfGraph graph;
    private final Node property;
    private final long window;
    private final PrintStream out =
        new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false,
            StandardCharsets.UTF_8);
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final List<Held> waiting = new ArrayList<>();
    private Map<Triple, Long> answers = new HashMap<>();

    private JenaRules(String query, Path facts, long window) throws IOException {
        List<Rule> rules = new ArrayList<>();
        for (String rule : RULES.get(query)) {
            rules.add(Rule.parseRule("[" + rule + "]"));
        }
        GenericRuleReasoner reasoner = new GenericRuleReasoner(rules);
        reasoner.setMode(GenericRuleReasoner.FORWARD_RETE);
        graph = reasoner.bind(Factory.createDefaultGraph());
        graph.prepare();
        for (String line : Files.readAllLines(facts)) {
            graph.add(triple(line));
        }
        property = NodeFactory.createURI(PROPERTIES.get(query));
        this.window = window;
    }

    public static void main(String[] args) throws IOException {
        if (args.length == 0) {
            System.out.println(
                "Jena " + Jena.VERSION + " on Java " + System.getProperty("java.version"));
            return;
        }
        JenaRules run = new JenaRules(args[0], Path.of(args[2]), Long.parseLong(args[3]));
        run.follow(Path.of(args[1]));
        run.out.flush();
    }

    private static String bsbm(String name) {
        return "<" + BSBM + "vocabulary/" + name + ">";
    }

    private static String offered(String name) {
        return pattern("offer", bsbm(name), "?" + name.replace("offerWebpage", "webpage"));
    }

    private static String pattern(String subject, String predicate, String object) {
        return "(?" + subject + " " + predicate + " " + object + ") ";
    }

    private void follow(Path stream) throws IOException {
        long tick = Long.MIN_VALUE;
        try (BufferedReader lines = Files.newBufferedReader(stream)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int place = line.indexOf(STAMP);
                if (place < 0) {
                    waiting.get(waiting.size() - 1).triples.add(triple(line));
                    continue;
                }
                int start = place + STAMP.length() + 1;
                String stamp = line.substring(start, line.indexOf('"', start));
                long at = Instant.parse(stamp).toEpochMilli();
                if (at > tick) {
                    look(tick);
                    tick = -Math.floorDiv(-at, 1000L) * 1000L;
                }
                waiting.add(new Held(at, new ArrayList<>()));
            }
        }
        look(tick);
    }

    private void look(long tick) {
        if (waiting.isEmpty()) {
            return;
        }
        while (!held.isEmpty() && held.peek().at + window <= tick) {
            held.poll().triples.forEach(graph::delete);
        }
        for (Held come : waiting) {
            if (come.at + window > tick) {
                come.triples.forEach(graph::add);
                held.add(come);
            }
        }
        waiting.clear();
        Set<Triple> found = new HashSet<>();
        Graph derived = graph.getDeductionsGraph();
        for (Triple each : derived.find(Node.ANY, property, Node.ANY).toList()) {
            if (property.hasURI(PRODUCT)) {
                derived.find(each.getSubject(), PRICE_NODE, Node.ANY).forEachRemaining(priced ->
                    found.add(Triple.create(each.getObject(), OFFER_PRICE, priced.getObject())));
            } else {
                found.add(each);
            }
        }
        Map<Triple, Long> next = new HashMap<>();
        answers.forEach((answer, since) -> {
            if (!found.contains(answer)) {
                write("-", tick, answer, since);
            }
        });
        for (Triple answer : found) {
            Long since = answers.get(answer);
            if (since == null) {
                write("+", tick, answer, tick);
            }
            next.put(answer, since == null ? tick : since);
        }
        answers = next;
    }

    private void write(String op, long at, Triple answer, long since) {
        String when = Instant.ofEpochMilli(at).toString();
        String until = op.equals("-") ? "\"" + when + "\"" : "null";
        out.print("{\"op\":\"" + op + "\",\"at\":\"" + when + "\",\"s\":\"" + text(answer.getSubject())
            + "\",\"p\":\"" + text(answer.getPredicate()) + "\",\"o\":\"" + text(answer.getObject())
            + "\",\"from\":\"" + Instant.ofEpochMilli(since) + "\",\"until\":" + until + "}\n");
    }

    private static String text(Node node) {
        String plain = node.isURI() ? "<" + node.getURI() + ">"
            : node.isBlank() ? "_:" + node.getBlankNodeLabel()
            : "\"" + node.getLiteralLexicalForm() + "\"^^<" + node.getLiteralDatatypeURI() + ">";
        return plain.replace("\\", "\\\\").replace("\"", "\\\"");
    }

    private static Triple triple(String line) {
        Matcher terms = TERM.matcher(line);
        return Triple.create(next(terms), next(terms), next(terms));
    }

    private static Node next(Matcher terms) {
        if (!terms.find()) {
            throw new IllegalArgumentException("a line without three terms");
        }
        if (terms.group(1) != null) {
            return NodeFactory.createURI(terms.group(1));
        }
        if (terms.group(2) != null) {
            return NodeFactory.createBlankNode(terms.group(2));
        }
        return terms.group(4) == null
            ? NodeFactory.createLiteral(terms.group(3))
            : NodeFactory.createLiteral(
                terms.group(3), TypeMapper.getInstance().getSafeTypeByName(terms.group(4)));
    }
}
