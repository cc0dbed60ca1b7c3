import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import org.apache.paimon.fs.ByteArraySeekableStream;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.FileIOLoader;
import org.apache.paimon.fs.Path;
import org.apache.paimon.fs.SeekableInputStream;
import org.apache.paimon.fs.local.LocalFileIO;

/** The local disk, read a file at a time: Avro looks for the end of its header by reading byte after byte. */
public final class WholeFiles extends LocalFileIO {
    static final String SCHEME = "whole";

    @Override
    public SeekableInputStream newInputStream(Path path) throws IOException {
        try {
            return new ByteArraySeekableStream(Files.readAllBytes(toFile(path).toPath()));
        } catch (NoSuchFileException e) {
            throw new FileNotFoundException(path.toString());
        }
    }

    /** Found by META-INF/services. */
    public static final class Loader implements FileIOLoader {
        @Override
        public String getScheme() {
            return SCHEME;
        }

        @Override
        public FileIO load(Path path) {
            return new WholeFiles();
        }
    }
}
