import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Base64;

/** Judges vectors by the functions of the Java sample. One vector a line, its fields separated by tabs. */
public class Vectors {
    public static void main(String[] args) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] field = line.split("\t", -1);
            for (int place = 2; place <= 6; place++) if (field[place].isEmpty()) field[place] = null;
            byte[] raw = Base64.getDecoder().decode(field[7]);
            boolean body = Sample.verifyBody(raw, field[5], field[6], field[0]);
            boolean webhook = Sample.verify(raw, field[2], field[3], field[4], field[0], Long.parseLong(field[1]));
            System.out.println(body + " " + webhook);
        }
    }
}
